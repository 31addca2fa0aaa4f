#include "strata/solvers/lbfgs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "strata/core/errors.h"
#include "strata/solvers/conjugate_gradient.h"
#include "support/problems.h"

namespace strata {
namespace {

using test::Problem;

template <class F>
SolveResult solve(F& f, const Vector& x, const LbfgsOptions& options, LbfgsMemory& memory) {
  Sample start;
  evaluate(f, x, start);
  SolveResult result;
  minimise(f, start, options, memory, result);
  return result;
}

template <class F>
SolveResult solve(F& f, const Vector& x, const LbfgsOptions& options = {}) {
  LbfgsMemory memory;
  return solve(f, x, options, memory);
}

Problem rosenbrock() { return test::more_garbow_hillstrom().front(); }

// f where it is defined, `outside` where ||x|| >= radius.
Problem undefined_outside(Problem inner, double radius, double outside) {
  const auto f = inner.evaluate;
  inner.evaluate = [f, radius, outside](std::span<const double> x, double* gradient) {
    const double value = f(x, gradient);
    return norm(x) < radius ? value : outside;
  };
  return inner;
}

TEST(Lbfgs, CountsIterationsEvaluationsAndWork) {
  Problem problem = rosenbrock();
  Sample start;
  evaluate(problem, problem.start, start);
  problem.calls = 0;
  LbfgsMemory memory;
  SolveResult result;
  minimise(problem, start, {}, memory, result);
  EXPECT_EQ(result.reason, StopReason::gradient_tolerance);
  EXPECT_EQ(result.evaluations, problem.calls);
  EXPECT_EQ(result.work.evaluations, static_cast<std::uint64_t>(problem.calls));
  EXPECT_LE(result.iterations, result.evaluations);
  EXPECT_TRUE(describe(result).starts_with("gradient_tolerance after ")) << describe(result);
}

TEST(Lbfgs, TakesTheWorkFromAFunctionThatKeepsAccount) {
  struct Keeps {
    test::Quadratic q{4, 10, 1};
    Work spent{.forward = 1000};
    [[nodiscard]] std::size_t size() const { return q.size(); }
    [[nodiscard]] Work work() const { return spent; }
    double value(std::span<const double> x) { return q.value(x); }
    double value_and_gradient(std::span<const double> x, std::span<double> g) {
      spent += {.forward = 7, .backward = 5, .evaluations = 1};
      return q.value_and_gradient(x, g);
    }
  } f;
  const SolveResult result = solve(f, Vector(4, 0.0));
  const auto calls = static_cast<std::uint64_t>(result.evaluations);
  EXPECT_EQ(result.work, (Work{.forward = 7 * calls, .backward = 5 * calls, .evaluations = calls}));
}

TEST(Lbfgs, StopsForEveryLimitAndSaysWhich) {
  Problem problem = rosenbrock();
  const SolveResult few = solve(problem, problem.start, {.max_iterations = 3});
  EXPECT_EQ(few.reason, StopReason::max_iterations);
  EXPECT_EQ(few.iterations, 3);
  for (const int limit : {1, 2, 3, 7, 20}) {
    const SolveResult short_of_calls = solve(problem, problem.start, {.max_evaluations = limit});
    EXPECT_EQ(short_of_calls.reason, StopReason::max_evaluations);
    EXPECT_EQ(short_of_calls.evaluations, limit);
    EXPECT_LE(short_of_calls.best.value, problem.value(problem.start));
  }
  const SolveResult slow = solve(problem, problem.start, {.relative_decrease = 0.05});
  EXPECT_EQ(slow.reason, StopReason::relative_decrease);
  EXPECT_LT(slow.iterations, 30);
  const SolveResult at_once = solve(problem, Vector{1, 1});
  EXPECT_EQ(at_once.reason, StopReason::gradient_tolerance);
  EXPECT_EQ(at_once.iterations, 0);
  EXPECT_EQ(at_once.evaluations, 0);
}

TEST(Lbfgs, AsksTheCallerBeforeEveryIterationAndNeverIncreasesTheValue) {
  for (Problem& problem : test::more_garbow_hillstrom()) {
    Sample start;
    evaluate(problem, problem.start, start);
    std::vector<double> values;
    const auto five_times = [&values](const SolveResult& so_far) -> std::optional<StopReason> {
      EXPECT_EQ(so_far.iterations, static_cast<int>(values.size()));
      values.push_back(so_far.best.value);
      if (values.size() == 5) return StopReason::time_limit;
      return {};
    };
    LbfgsMemory memory;
    SolveResult result;
    minimise(problem, start, {.gradient_tolerance = 0}, memory, result, five_times);
    EXPECT_EQ(result.reason, StopReason::time_limit) << problem.name;
    EXPECT_EQ(result.iterations, 4);
    EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend())) << problem.name;
  }
}

// Visits of five iterations until the tolerance is met; how many it took.
int visits_to_converge(test::Quadratic& q, bool keep_history) {
  LbfgsMemory memory;
  Vector x(q.size(), 0.0);
  for (int visit = 1; visit < 1000; ++visit) {
    const SolveResult result = solve(q, x, {.max_iterations = 5, .keep_history = keep_history}, memory);
    if (result.reason == StopReason::gradient_tolerance) return visit;
    x = result.best.x;
  }
  return 1000;
}

TEST(Lbfgs, HistoryKeptAcrossShortVisitsSavesVisits) {
  test::Quadratic q(30, 1e3, 5);
  EXPECT_LT(visits_to_converge(q, true), 0.7 * visits_to_converge(q, false));
}

TEST(Lbfgs, SolveCutInTwoWithItsHistoryKeptIsTheSameSolve) {
  test::Quadratic q(30, 1e3, 5);
  LbfgsMemory memory;
  const SolveResult first = solve(q, Vector(30, 0.0), {.max_iterations = 15}, memory);
  const SolveResult second = solve(q, first.best.x, {.max_iterations = 15, .keep_history = true}, memory);
  EXPECT_EQ(solve(q, Vector(30, 0.0), {.max_iterations = 30}).best.x, second.best.x);
}

TEST(Lbfgs, NothingOfAnEarlierSolveIsLeftWhenTheHistoryIsDropped) {
  test::Quadratic q(30, 1e3, 5);
  LbfgsMemory memory;
  const SolveResult first = solve(q, Vector(30, 0.0), {.max_iterations = 15}, memory);
  const SolveResult dropped = solve(q, first.best.x, {.max_iterations = 15}, memory);
  EXPECT_EQ(dropped.best.x, solve(q, first.best.x, {.max_iterations = 15}).best.x);
}

TEST(Lbfgs, HistoryOfAnotherSizeIsDropped) {
  LbfgsMemory memory;
  test::Quadratic small(3, 10, 1);
  test::Quadratic large(8, 10, 2);
  const LbfgsOptions options{.keep_history = true};
  EXPECT_EQ(solve(small, Vector(3, 0.0), options, memory).reason, StopReason::gradient_tolerance);
  EXPECT_EQ(solve(large, Vector(8, 0.0), options, memory).reason, StopReason::gradient_tolerance);
  EXPECT_EQ(solve(small, Vector(3, 0.0), options, memory).reason, StopReason::gradient_tolerance);
}

TEST(Lbfgs, PairsWithoutCurvatureAreSkippedAndCostNoOldPair) {
  LbfgsHistory history;
  history.prepare(2, 1);
  const Sample a{{0, 0}, 0, {0, 0}};
  const Sample curved{{1, 0}, 0, {2, 0}};
  const Sample concave{{1, 0}, 0, {-2, 0}};
  EXPECT_TRUE(history.push(a, curved));
  EXPECT_FALSE(history.push(a, concave));
  EXPECT_FALSE(history.push(a, a));
  EXPECT_EQ(history.pairs(), 1U);
  Vector direction(2);
  history.descent_direction(Vector{2, 2}, direction);
  EXPECT_EQ(direction, (Vector{-1, -1}));  // the inverse Hessian is 1/2
}

TEST(Lbfgs, TwoLoopRecursionEqualsTheBfgsFormula) {
  // With one pair H = (I - rho s y')(gamma I)(I - rho y s') + rho s s'.
  LbfgsHistory history;
  history.prepare(2, 4);
  history.push({{0, 0}, 0, {0, 0}}, {{1, 2}, 0, {3, 1}});
  const double sy = 5;
  const double gamma = sy / 10;
  const Vector g{0.3, -0.7};
  const double sg = 1 * g[0] + 2 * g[1];
  const Vector right{g[0] - 3 * sg / sy, g[1] - 1 * sg / sy};
  const double y_right = gamma * (3 * right[0] + 1 * right[1]);
  Vector direction(2);
  history.descent_direction(g, direction);
  EXPECT_NEAR(direction[0], -(gamma * right[0] - 1 * y_right / sy + 1 * sg / sy), 1e-15);
  EXPECT_NEAR(direction[1], -(gamma * right[1] - 2 * y_right / sy + 2 * sg / sy), 1e-15);
}

// The same with another first matrix M: gamma M in place of gamma I, gamma = s'y / y'My.
TEST(Lbfgs, TwoLoopRecursionBeginsWithTheFirstMatrix) {
  const auto apply = [](std::span<const double> r, std::span<double> out) {  // M = (2 1; 1 3)
    out[0] = 2 * r[0] + r[1];
    out[1] = r[0] + 3 * r[1];
  };
  LbfgsHistory history;
  history.prepare(2, 4);
  const Vector g{0.3, -0.7};
  Vector direction(2), expected(2);
  history.descent_direction(g, direction, apply);
  apply(g, expected);
  EXPECT_EQ(direction, (Vector{-expected[0], -expected[1]}));

  history.push({{0, 0}, 0, {0, 0}}, {{1, 2}, 0, {3, 1}});
  const double sy = 5;
  const double gamma = sy / (3 * 7 + 1 * 6);  // My = (7, 6)
  const double sg = 1 * g[0] + 2 * g[1];
  const Vector right{g[0] - 3 * sg / sy, g[1] - 1 * sg / sy};
  apply(right, expected);
  const double y_right = gamma * (3 * expected[0] + 1 * expected[1]);
  history.descent_direction(g, direction, apply);
  EXPECT_NEAR(direction[0], -(gamma * expected[0] - 1 * y_right / sy + 1 * sg / sy), 1e-15);
  EXPECT_NEAR(direction[1], -(gamma * expected[1] - 2 * y_right / sy + 2 * sg / sy), 1e-15);
}

// The inverse Hessian of a quadratic, column by column by conjugate gradients; symmetric.
std::vector<Vector> inverse_hessian(test::Quadratic& q) {
  std::vector<Vector> columns(q.size(), Vector(q.size()));
  PcgSpace space;
  for (std::size_t i = 0; i < q.size(); ++i) {
    Vector unit(q.size(), 0.0);
    unit[i] = 1;
    space.prepare(q.size());
    pcg([&](std::span<const double> v, std::span<double> hv) { q.hessian_times(v, hv); }, unit, Identity{},
        {.max_iterations = 500, .relative_tolerance = 1e-14}, space, columns[i]);
  }
  return columns;
}

TEST(Lbfgs, EndsAfterOneStepWithTheInverseHessianOfAQuadraticAsTheFirstMatrix) {
  for (const double condition : {1.0, 100.0, 1e4}) {
    test::Quadratic q(20, condition, 5);
    const std::vector<Vector> columns = inverse_hessian(q);
    const auto first_matrix = [&columns](std::span<const double> r, std::span<double> out) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = dot(columns[i], r);
    };
    Sample start;
    evaluate(q, Vector(20, -2.0), start);
    LbfgsMemory memory;
    SolveResult result;
    minimise(q, start, {.gradient_tolerance = 1e-6}, memory, result, NeverStop{}, first_matrix);
    EXPECT_EQ(result.reason, StopReason::gradient_tolerance) << describe(result);
    EXPECT_EQ(result.iterations, 1);
    EXPECT_EQ(result.evaluations, 1);
  }
}

TEST(Lbfgs, TheIdentityAsTheFirstMatrixChangesNoBit) {
  const auto identity = [](std::span<const double> r, std::span<double> out) {
    std::copy(r.begin(), r.end(), out.begin());
  };
  test::Quadratic q(30, 1e3, 5);
  Sample start;
  evaluate(q, solve(q, Vector(30, 0.0), {.gradient_tolerance = 0.5}).best.x, start);
  ASSERT_LE(norm(start.gradient), 1);  // where it is longer, the first trial along -g is shortened
  const LbfgsOptions options{.max_iterations = 12, .gradient_tolerance = 1e-9};
  LbfgsMemory memory, with;
  SolveResult expected, result;
  minimise(q, start, options, memory, expected);
  minimise(q, start, options, with, result, NeverStop{}, identity);
  EXPECT_GT(result.iterations, 5);
  EXPECT_EQ(result.best.x, expected.best.x);
  EXPECT_EQ(result.evaluations, expected.evaluations);
}

// More pairs than the memory holds, so that they do not lie in the order of their age.
TEST(Lbfgs, AHistoryThatWasSavedGivesTheSameDirection) {
  LbfgsHistory history;
  history.prepare(3, 2);
  Sample from{{0, 0, 0}, 0, {0, 0, 0}};
  for (int k = 1; k <= 4; ++k) {
    const Sample to{{1.0 * k, 2.0 - k, 0.5 * k * k}, 0, {3.0 * k, 1.0 - k, 2.0 * k * k}};
    ASSERT_TRUE(history.push(from, to));
    from = to;
  }
  State saved;
  history.save(saved);
  LbfgsHistory restored;
  restored.restore(saved, 3, 2);
  EXPECT_EQ(restored.pairs(), 2U);
  Vector expected(3), direction(3);
  history.descent_direction(Vector{0.3, -0.7, 1.1}, expected);
  restored.descent_direction(Vector{0.3, -0.7, 1.1}, direction);
  EXPECT_EQ(direction, expected);
}

TEST(Lbfgs, ValuesThatAreNotFiniteNeverWin) {
  for (const double outside :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    // The minimum (1, 1) lies inside, some trial steps do not.
    Problem inside = undefined_outside(rosenbrock(), 1.6, outside);
    const SolveResult reached = solve(inside, inside.start);
    EXPECT_EQ(reached.reason, StopReason::gradient_tolerance) << outside;
    EXPECT_NEAR(reached.best.value, 0, 1e-8);

    // The minimum lies outside: the border is approached, the best finite point returned.
    Problem cut = undefined_outside(rosenbrock(), 1.2, outside);
    const SolveResult stopped = solve(cut, Vector{-0.5, 0.5}, {.max_iterations = 500});
    EXPECT_EQ(stopped.reason, StopReason::non_finite) << outside << " " << describe(stopped);
    EXPECT_TRUE(finite(stopped.best));
    EXPECT_LT(stopped.best.value, cut.value(Vector{-0.5, 0.5}));
    EXPECT_LT(norm(stopped.best.x), 1.2);
  }
}

TEST(Lbfgs, GradientsThatAreNotFiniteAreRefusedToo) {
  Problem problem = rosenbrock();
  const auto f = problem.evaluate;
  problem.evaluate = [f](std::span<const double> x, double* gradient) {
    const double value = f(x, gradient);
    if (gradient != nullptr && x[0] > 0.5) gradient[1] = std::numeric_limits<double>::quiet_NaN();
    return value;
  };
  const SolveResult result = solve(problem, problem.start, {.max_iterations = 500});
  EXPECT_EQ(result.reason, StopReason::non_finite) << describe(result);
  EXPECT_TRUE(finite(result.best));
  EXPECT_LE(result.best.x[0], 0.5);

  const SolveResult nowhere = solve(problem, Vector{2, 2});
  EXPECT_EQ(nowhere.reason, StopReason::non_finite);
  EXPECT_EQ(nowhere.message, "the start is not finite");
  EXPECT_EQ(nowhere.evaluations, 0);
}

TEST(Lbfgs, FailedSearchResetsTheHistoryTriesSteepestDescentAndThenSaysSo) {
  // |x| with slopes that do not fit: no direction decreases it at the kink, and the solver must end there.
  Problem kink{
      .name = "kink", .start = {1}, .minima = {0}, .evaluate = [](std::span<const double> x, double* g) {
        if (g != nullptr) *g = x[0] >= 0 ? 1 : -1;
        return std::abs(x[0]);
      }};
  const SolveResult result = solve(kink, Vector{0.3}, {.max_iterations = 1000});
  EXPECT_EQ(result.reason, StopReason::line_search_failed) << describe(result);
  EXPECT_LT(result.best.value, 1e-6);
}

TEST(Lbfgs, EndsAtTheLevelOfRoundingWhenTheToleranceCannotBeMet) {
  for (Problem& problem : test::more_garbow_hillstrom()) {
    const SolveResult result =
        solve(problem, problem.start, {.max_iterations = 5000, .gradient_tolerance = 1e-30});
    EXPECT_TRUE(result.reason == StopReason::line_search_failed ||
                result.reason == StopReason::gradient_tolerance)
        << problem.name << ": " << describe(result);
    EXPECT_LE(result.evaluations, 600) << problem.name;
    EXPECT_TRUE(problem.at_a_minimum(result.best.value)) << problem.name;
  }
}

TEST(Lbfgs, HandlesWrongHistoryOfAnotherFunction) {
  // Pairs learnt on a steep function, kept for a shallow one: the search or the reset must cope.
  test::Quadratic steep(6, 10, 1);
  for (double& h : steep.eigenvalues()) h *= 1e8;
  test::Quadratic shallow(6, 10, 2);
  LbfgsMemory memory;
  solve(steep, Vector(6, 0.0), {.max_iterations = 6, .gradient_tolerance = 1e-3}, memory);
  const SolveResult result = solve(shallow, Vector(6, 0.0), {.keep_history = true}, memory);
  EXPECT_EQ(result.reason, StopReason::gradient_tolerance);
  EXPECT_NEAR(result.best.value, 0, 1e-9);
}

TEST(Lbfgs, RefusesOptionsOutOfRange) {
  EXPECT_THROW(check(LbfgsOptions{.memory = 0}), InvalidOption);
  EXPECT_THROW(check(LbfgsOptions{.max_iterations = -1}), InvalidOption);
  EXPECT_THROW(check(LbfgsOptions{.max_evaluations = -1}), InvalidOption);
  EXPECT_THROW(check(LbfgsOptions{.gradient_tolerance = -1e-9}), InvalidOption);
  EXPECT_THROW(check(LbfgsOptions{.relative_decrease = std::numeric_limits<double>::quiet_NaN()}),
               InvalidOption);
  EXPECT_THROW(check(LbfgsOptions{.line_search = {.curvature = 1}}), InvalidOption);
}

}  // namespace
}  // namespace strata
