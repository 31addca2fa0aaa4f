#include "strata/solvers/line_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "strata/core/errors.h"
#include "strata/solvers/wolfe.h"
#include "support/problems.h"

namespace strata {
namespace {

using test::Problem;

Vector steepest_descent(const Sample& start) {
  Vector direction(start.gradient.size());
  for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = -start.gradient[i];
  return direction;
}

template <class Value, class Slope>
Problem one_dimensional(double start, Value f, Slope slope) {
  return {.name = "one-dimensional",
          .start = {start},
          .minima = {},
          .evaluate = [f, slope](std::span<const double> x, double* gradient) {
            if (gradient != nullptr) *gradient = slope(x[0]);
            return f(x[0]);
          }};
}

TEST(Armijo, ReturnsTheFirstStepOfTheSequenceThatSatisfiesTheRule) {
  for (Problem& problem : test::more_garbow_hillstrom()) {
    for (const ArmijoOptions& options :
         {ArmijoOptions{},
          ArmijoOptions{.first_step = 10, .decrease = 0.3, .shrink = 0.7, .max_trials = 200}}) {
      Sample start;
      evaluate(problem, problem.start, start);
      const Vector direction = steepest_descent(start);
      const double slope = dot(start.gradient, direction);
      ArmijoResult result;
      problem.calls = 0;
      armijo(problem, start, direction, options, result);
      ASSERT_EQ(result.reason, StopReason::solved) << problem.name;
      EXPECT_EQ(result.trials, problem.calls);

      // Replay of the definition: every longer trial is refused, the returned one is not.
      double step = options.first_step;
      Vector x(start.x.size());
      for (int trial = 1; trial <= result.trials; ++trial, step *= options.shrink) {
        step_to(x, start.x, step, direction);
        const double value = problem.value(x);
        const bool satisfied = value <= start.value + options.decrease * step * slope;
        EXPECT_EQ(satisfied, trial == result.trials) << problem.name << ", trial " << trial;
        if (trial < result.trials) continue;
        EXPECT_EQ(result.step, step);
        EXPECT_EQ(result.value, value);
        EXPECT_EQ(result.x, x);
      }
    }
  }
}

TEST(Armijo, RefusesTrialsThatAreNotFinite) {
  // -log x + x is not defined for x <= 0: the first step leads to x = -9.
  Problem f = one_dimensional(
      0.1, [](double x) { return x - std::log(x); }, [](double x) { return 1 - 1 / x; });
  Sample start;
  evaluate(f, f.start, start);
  ArmijoResult result;
  armijo(f, start, Vector{-9.1}, {}, result);
  EXPECT_EQ(result.reason, StopReason::line_search_failed);
  EXPECT_EQ(result.message, "not a direction of descent");
  armijo(f, start, Vector{1e3}, {}, result);
  EXPECT_EQ(result.reason, StopReason::solved);

  Problem g = one_dimensional(
      2, [](double x) { return x - std::log(x); }, [](double x) { return 1 - 1 / x; });
  evaluate(g, g.start, start);
  armijo(g, start, Vector{-20}, {}, result);
  EXPECT_EQ(result.reason, StopReason::solved);
  EXPECT_EQ(result.step, 1.0 / 16);  // 1/8 gives log(-0.5)
  EXPECT_LT(result.value, start.value);
}

TEST(Armijo, MinusInfinityIsNoDecrease) {
  Problem pit = one_dimensional(
      0, [](double x) { return x > 0.3 ? -std::numeric_limits<double>::infinity() : -x; },
      [](double) { return -1.0; });
  Sample start;
  evaluate(pit, pit.start, start);
  ArmijoResult result;
  armijo(pit, start, Vector{1}, {}, result);
  EXPECT_EQ(result.reason, StopReason::solved);
  EXPECT_EQ(result.step, 0.25);
}

TEST(Armijo, SaysWhyNoStepWasFoundAndReturnsTheStart) {
  Problem nowhere = one_dimensional(
      0, [](double x) { return x == 0 ? 0.0 : std::numeric_limits<double>::quiet_NaN(); },
      [](double) { return 1.0; });
  Problem uphill = one_dimensional(
      0, [](double x) { return std::abs(x); }, [](double) { return 1.0; });
  Sample start;
  ArmijoResult result;
  evaluate(nowhere, nowhere.start, start);
  armijo(nowhere, start, Vector{-1}, {.max_trials = 30}, result);
  EXPECT_EQ(result.reason, StopReason::non_finite);
  EXPECT_EQ(result.trials, 30);
  evaluate(uphill, uphill.start, start);
  armijo(uphill, start, Vector{-1}, {.max_trials = 30}, result);
  EXPECT_EQ(result.reason, StopReason::line_search_failed);
  EXPECT_EQ(result.step, 0);
  EXPECT_EQ(result.x, start.x);
  EXPECT_EQ(result.value, start.value);
}

TEST(Armijo, RefusesOptionsOutOfRange) {
  EXPECT_THROW(check(ArmijoOptions{.first_step = 0}), InvalidOption);
  EXPECT_THROW(check(ArmijoOptions{.decrease = 1}), InvalidOption);
  EXPECT_THROW(check(ArmijoOptions{.shrink = std::numeric_limits<double>::quiet_NaN()}), InvalidOption);
  EXPECT_THROW(check(ArmijoOptions{.max_trials = 0}), InvalidOption);
}

struct Search {
  Sample start;
  Vector direction;
  WolfeResult result;
};

// From a problem's start along its steepest descent, with a first step of this length.
Search search_down(Problem& problem, double length, const WolfeOptions& options) {
  Search found;
  evaluate(problem, problem.start, found.start);
  found.direction = steepest_descent(found.start);
  WolfeSpace space;
  wolfe(problem, found.start, found.direction, length / norm(found.direction), options, space, found.result);
  return found;
}

TEST(Wolfe, ReturnsASampleThatSatisfiesBothConditionsFromAnyFirstStep) {
  for (Problem& problem : test::more_garbow_hillstrom()) {
    for (const double curvature : {0.9, 0.1}) {
      for (const double scale : {1e-6, 1e-2, 1.0, 1e3}) {
        const WolfeOptions options{.decrease = 1e-4, .curvature = curvature, .max_trials = 60};
        auto [start, direction, result] = search_down(problem, scale, options);
        ASSERT_EQ(result.reason, StopReason::solved) << problem.name << " " << scale;

        const double slope = dot(start.gradient, direction);
        EXPECT_LE(result.point.value, start.value + options.decrease * result.step * slope);
        EXPECT_LE(std::abs(dot(result.point.gradient, direction)), curvature * std::abs(slope));
        Sample again;  // point, value and gradient are of one and the same point
        step_to(start.x, start.x, result.step, direction);
        evaluate(problem, start.x, again);
        EXPECT_EQ(result.point.x, again.x);
        EXPECT_EQ(result.point.value, again.value);
        EXPECT_EQ(result.point.gradient, again.gradient);
      }
    }
  }
}

// The interval of More & Thuente's search ends at a tenth of its larger end, so that only loose conditions are sure.
TEST(Wolfe, MoreAndThuenteSatisfyBothConditionsOrDecreaseFromAnyFirstStep) {
  int satisfied = 0;
  int searches = 0;
  for (Problem& problem : test::more_garbow_hillstrom()) {
    for (const double scale : {1e-6, 1e-2, 1.0, 1e3}) {
      const WolfeOptions options{.decrease = 1e-3, .max_trials = 60, .line_search = LineSearch::more_thuente};
      const auto [start, direction, result] = search_down(problem, scale, options);
      const double slope = dot(start.gradient, direction);
      const bool both = result.point.value <= start.value + options.decrease * result.step * slope &&
                        std::abs(dot(result.point.gradient, direction)) <= -options.curvature * slope;
      EXPECT_EQ(both, result.reason == StopReason::solved) << problem.name << " " << scale;
      EXPECT_LT(result.point.value, start.value) << problem.name << " " << scale;
      satisfied += both ? 1 : 0;
      ++searches;
    }
  }
  EXPECT_GT(satisfied, 0.95 * searches);
}

TEST(Wolfe, ShrinksTheStepWhereTheFunctionIsNotFinite) {
  Problem f = one_dimensional(
      2, [](double x) { return x - std::log(x); }, [](double x) { return x > 0 ? 1 - 1 / x : std::log(x); });
  Sample start;
  evaluate(f, f.start, start);
  for (const LineSearch line_search : {LineSearch::bracket, LineSearch::more_thuente}) {
    WolfeSpace space;
    WolfeResult result;
    wolfe(f, start, Vector{-1}, 1000, {.line_search = line_search}, space, result);
    EXPECT_EQ(result.reason, StopReason::solved);
    EXPECT_GT(result.point.x[0], 0);
    EXPECT_LT(result.point.value, start.value);
  }
}

TEST(Wolfe, KeepsTheBestPointWhenTrialsRunOut) {
  Problem falling = one_dimensional(
      0, [](double x) { return -x; }, [](double) { return -1.0; });
  Sample start;
  evaluate(falling, falling.start, start);
  for (const LineSearch line_search : {LineSearch::bracket, LineSearch::more_thuente}) {
    WolfeSpace space;
    WolfeResult result;
    wolfe(falling, start, Vector{1}, 1, {.max_trials = 5, .line_search = line_search}, space, result);
    EXPECT_EQ(result.reason, StopReason::max_evaluations);
    EXPECT_EQ(result.trials, 5);
    EXPECT_GT(result.step, 1);
    EXPECT_EQ(result.point.value, -result.step);
  }
}

TEST(Wolfe, FailsWithTheStartWhenNothingDecreases) {
  Problem uphill = one_dimensional(
      0, [](double x) { return std::abs(x); }, [](double) { return 1.0; });
  Sample start;
  evaluate(uphill, uphill.start, start);
  WolfeSpace space;
  WolfeResult result;
  wolfe(uphill, start, Vector{-1}, 1, {}, space, result);
  EXPECT_EQ(result.reason, StopReason::line_search_failed);
  EXPECT_EQ(result.step, 0);
  EXPECT_EQ(result.point.x, start.x);
  wolfe(uphill, start, Vector{1}, 1, {}, space, result);
  EXPECT_EQ(result.message, "not a direction of descent");
  EXPECT_EQ(result.trials, 0);
  EXPECT_THROW(check(WolfeOptions{.decrease = 0.5, .curvature = 0.4}), InvalidOption);
}

TEST(Wolfe, NeverReturnsAnIncreaseAtTheLevelOfRounding) {
  test::Quadratic q(5, 100, 11);
  WolfeSpace space;
  WolfeResult result;
  Sample start;
  for (int k = 0; k < 200; ++k) {
    const Vector x(5, 1 + 1e-9 * std::sin(k) / (1 + k));
    evaluate(q, x, start);
    start.value += 1.0;  // the decrease left is below the rounding of values near 1
    struct Raised {
      test::Quadratic& q;
      [[nodiscard]] std::size_t size() const { return q.size(); }
      double value(std::span<const double> at) { return q.value(at) + 1; }
      double value_and_gradient(std::span<const double> at, std::span<double> g) {
        return q.value_and_gradient(at, g) + 1;
      }
    } raised{q};
    for (const LineSearch line_search : {LineSearch::bracket, LineSearch::more_thuente}) {
      wolfe(raised, start, steepest_descent(start), 1, {.line_search = line_search}, space, result);
      EXPECT_LE(result.point.value, start.value);
      EXPECT_TRUE(finite(result.point));
    }
  }
}

}  // namespace
}  // namespace strata
