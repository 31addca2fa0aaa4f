#include "strata/solvers/gradient_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "strata/core/errors.h"
#include "support/problems.h"

namespace strata {
namespace {

using test::Problem;

TEST(GradientSteps, AreKArmijoStepsAlongTheNegativeGradient) {
  Problem problem = test::more_garbow_hillstrom().front();
  Sample start;
  evaluate(problem, problem.start, start);
  GradientStepsMemory memory;
  SolveResult result;
  problem.calls = 0;
  minimise(problem, start, {.steps = 5}, memory, result);
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  EXPECT_EQ(result.iterations, 5);
  EXPECT_EQ(result.evaluations, problem.calls);

  Sample expected = start;
  ArmijoResult line;
  for (int k = 0; k < 5; ++k) {
    Vector direction(expected.gradient);
    for (double& component : direction) component = -component;
    armijo(problem, expected, direction, {}, line);
    evaluate(problem, line.x, expected);
  }
  EXPECT_EQ(result.best.x, expected.x);
  EXPECT_EQ(result.best.gradient, expected.gradient);
}

TEST(GradientSteps, StopAtAPointWithoutGradientAndBeforeTheFirstStepIfAskedForNone) {
  test::Quadratic q(3, 10, 1);
  Sample start;
  GradientStepsMemory memory;
  SolveResult result;
  evaluate(q, Vector(3, 1.0), start);
  minimise(q, start, {.steps = 5}, memory, result);
  EXPECT_EQ(result.reason, StopReason::gradient_tolerance);
  EXPECT_EQ(result.best.x, start.x);
  evaluate(q, Vector(3, 0.0), start);
  minimise(q, start, {.steps = 0}, memory, result);
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  EXPECT_EQ(result.evaluations, 0);
}

TEST(GradientSteps, ValuesThatAreNotFiniteNeverWin) {
  // x, defined for x >= 0 alone, its gradient for x > 0.
  Problem problem{
      .name = "half line", .start = {1}, .minima = {}, .evaluate = [](std::span<const double> x, double* g) {
        if (g != nullptr) *g = x[0] <= 0 ? std::numeric_limits<double>::quiet_NaN() : 1;
        return x[0] < 0 ? std::numeric_limits<double>::quiet_NaN() : x[0];
      }};
  Sample start;
  evaluate(problem, Vector{1}, start);
  GradientStepsMemory memory;
  SolveResult result;
  minimise(problem, start, {.steps = 3}, memory,
           result);  // the first step leads to 0: value, but no gradient
  EXPECT_EQ(result.reason, StopReason::non_finite);
  EXPECT_EQ(result.best.x, start.x);
  minimise(problem, start, {.steps = 3, .line_search = {.first_step = 3}}, memory, result);
  EXPECT_TRUE(finite(result.best));
  EXPECT_EQ(result.best.x, Vector{1.0 / 64});  // 3 and 1.5 are refused, 0.75 leads to 1/4; then likewise
  EXPECT_THROW(check(GradientStepsOptions{.steps = -1}), InvalidOption);
}

}  // namespace
}  // namespace strata
