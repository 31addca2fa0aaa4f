#include "strata/solvers/conjugate_gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "strata/core/errors.h"
#include "strata/core/random.h"
#include "support/problems.h"

namespace strata {
namespace {

using test::Quadratic;

template <class Q, class M = Identity>
SolveResult solve(Q& q, const Vector& x, const CgOptions& options = {}, M precondition = {}) {
  Sample start;
  evaluate(q, x, start);
  CgMemory memory;
  SolveResult result;
  minimise(q, start, options, memory, result, precondition);
  return result;
}

Vector random_vector(std::size_t size, std::uint64_t seed) {
  RandomStream random(seed);
  Vector v(size);
  for (double& component : v) component = random.normal();
  return v;
}

TEST(ConjugateGradient, ReachesTheMinimumInAsManyIterationsAsVariables) {
  for (const std::size_t size : {1, 2, 5, 20, 60}) {
    Quadratic q(size, 50, size);
    const SolveResult result = solve(q, Vector(size, 3.0), {.gradient_tolerance = 1e-8});
    EXPECT_EQ(result.reason, StopReason::gradient_tolerance);
    EXPECT_LE(result.iterations, static_cast<int>(size) + 5);  // a few more for rounding
    for (const double x : result.best.x) EXPECT_NEAR(x, 1, 1e-7);
  }
}

TEST(ConjugateGradient, NeedsOneIterationForEachDistinctEigenvalue) {
  Quadratic q(40, 1, 9);
  for (std::size_t i = 0; i < 40; ++i) q.eigenvalues()[i] = i % 2 == 0 ? 1 : 30;
  EXPECT_EQ(solve(q, Vector(40, 0.0), {.gradient_tolerance = 1e-9}).iterations, 2);
}

TEST(ConjugateGradient, ExactPreconditionerSolvesInOneIteration) {
  Quadratic q(20, 1e4, 3);
  Quadratic inverse(20, 1e4, 3);
  for (double& h : inverse.eigenvalues()) h = 1 / h;
  const auto precondition = [&inverse](std::span<const double> r, std::span<double> y) {
    inverse.hessian_times(r, y);
  };
  const SolveResult result = solve(q, Vector(20, -1.0), {.gradient_tolerance = 1e-7}, precondition);
  EXPECT_EQ(result.reason, StopReason::gradient_tolerance);
  EXPECT_LE(result.iterations, 2);
}

TEST(ConjugateGradient, StopsForItsLimitsAndSaysWhich) {
  Quadratic q(50, 1e4, 2);
  const SolveResult few = solve(q, Vector(50, 0.0), {.max_iterations = 4});
  EXPECT_EQ(few.reason, StopReason::max_iterations);
  EXPECT_EQ(few.iterations, 4);
  EXPECT_EQ(few.evaluations, 5);  // four products and the sample at the end
  EXPECT_LT(few.best.value, q.value(Vector(50, 0.0)));

  Sample start;
  evaluate(q, Vector(50, 0.0), start);
  const SolveResult relative = solve(q, start.x, {.gradient_tolerance = 0, .relative_tolerance = 0.1});
  EXPECT_EQ(relative.reason, StopReason::gradient_tolerance);
  EXPECT_LE(norm(relative.best.gradient), 0.1 * norm(start.gradient));
  EXPECT_EQ(solve(q, Vector(50, 1.0)).iterations, 0);
}

TEST(ConjugateGradient, EndsAtRoundingWhenTheToleranceCannotBeMet) {
  struct Unshifted {  // x'Hx/2 - b'x: no point has a gradient of exactly 0
    Quadratic q{30, 1e8, 4};
    Vector b = random_vector(30, 1);
    [[nodiscard]] std::size_t size() const { return 30; }
    double value(std::span<const double> x) {
      Vector hx(30);
      q.hessian_times(x, hx);
      return 0.5 * dot(x, hx) - dot(b, x);
    }
    double value_and_gradient(std::span<const double> x, std::span<double> g) {
      q.hessian_times(x, g);
      add_scaled(g, -1, b);
      return value(x);
    }
    void hessian_times(std::span<const double> v, std::span<double> hv) { q.hessian_times(v, hv); }
  } q;
  const SolveResult result =
      solve(q, Vector(30, 5.0), {.max_iterations = 100000, .gradient_tolerance = 1e-30});
  EXPECT_EQ(result.reason, StopReason::relative_decrease) << describe(result);
  EXPECT_LE(result.iterations, 5000);
  EXPECT_LE(norm(result.best.gradient), 1e-5);
}

TEST(ConjugateGradient, DetectsCurvatureThatIsNotPositive) {
  Quadratic saddle(6, 10, 8);
  saddle.eigenvalues()[2] = -1;
  const Vector x(6, 0.0);
  const double before = saddle.value(x);
  const SolveResult result = solve(saddle, x);
  EXPECT_EQ(result.reason, StopReason::line_search_failed);
  EXPECT_TRUE(result.message.starts_with("non-positive curvature"));
  EXPECT_TRUE(finite(result.best));
  EXPECT_LE(result.best.value, before);
}

TEST(ConjugateGradient, ProductsThatAreNotFiniteNeverWin) {
  Quadratic q(3, 10, 8);
  Sample start;
  evaluate(q, Vector(3, 0.0), start);
  q.eigenvalues()[1] = std::numeric_limits<double>::quiet_NaN();
  CgMemory memory;
  SolveResult result;
  minimise(q, start, {}, memory, result);
  EXPECT_EQ(result.reason, StopReason::non_finite);
  EXPECT_EQ(result.best.x, start.x);
}

TEST(Pcg, SolvesTheSystemAndReportsTheModelDecrease) {
  Quadratic q(25, 200, 6);
  const Vector b = random_vector(25, 7);
  const auto times = [&q](std::span<const double> v, std::span<double> av) { q.hessian_times(v, av); };
  PcgSpace space;
  Vector x(25), ax(25);
  for (const double tolerance : {1e-1, 1e-4, 1e-10}) {
    const PcgResult result = pcg(times, b, Identity{}, {.relative_tolerance = tolerance}, space, x);
    EXPECT_EQ(result.reason, StopReason::solved);
    q.hessian_times(x, ax);
    Vector residual(25);
    step_to(residual, b, -1, ax);
    EXPECT_LE(norm(residual), 1.001 * tolerance * norm(b) + 1e-12);
    EXPECT_NEAR(norm(residual) / norm(b), result.relative_residual, 1e-12);
    EXPECT_NEAR(result.model_decrease, dot(b, x) - 0.5 * dot(x, ax), 1e-10);
  }
}

TEST(Pcg, MeasuresTheResidualInThePreconditionersNorm) {
  // M = diag(m): the stop is on sqrt(r'M r), as the recurrence has it at no extra cost.
  Quadratic q(12, 1e3, 2);
  const Vector b = random_vector(12, 3);
  const Vector m{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const auto times = [&q](std::span<const double> v, std::span<double> av) { q.hessian_times(v, av); };
  const auto precondition = [&m](std::span<const double> r, std::span<double> y) {
    for (std::size_t i = 0; i < r.size(); ++i) y[i] = m[i] * r[i];
  };
  PcgSpace space;
  Vector x(12), scaled(12);
  const PcgResult result = pcg(times, b, precondition, {.relative_tolerance = 1e-3}, space, x);
  const auto measure = [&](const Vector& r) {
    precondition(r, scaled);
    return std::sqrt(dot(r, scaled));
  };
  EXPECT_NEAR(result.relative_residual, measure(space.residual) / measure(b), 1e-14);
  EXPECT_LE(result.relative_residual, 1e-3);
}

TEST(Pcg, EndsWhereAnIterationGainsLessThanTheAverageWithItsSetUp) {
  Quadratic q(30, 1e4, 4);
  const Vector b = random_vector(30, 5);
  const auto times = [&q](std::span<const double> v, std::span<double> av) { q.hessian_times(v, av); };
  PcgSpace space;
  Vector x(30), expected(30);
  int last = 0;
  for (const double set_up : {0.5, 4.0, 100.0}) {
    const PcgResult weighed =
        pcg(times, b, Identity{}, {.relative_tolerance = 0, .set_up = set_up}, space, x);
    EXPECT_EQ(weighed.reason, StopReason::relative_decrease);
    double before = 0;  // what the quadratic has lost, from solves cut after one iteration, two, ...
    for (int k = 1; k <= weighed.iterations; ++k) {
      const double decrease =
          pcg(times, b, Identity{}, {.max_iterations = k}, space, expected).model_decrease;
      EXPECT_EQ((decrease - before) * (set_up + k) < decrease, k == weighed.iterations);
      before = decrease;
    }
    EXPECT_EQ(x, expected);
    EXPECT_GT(weighed.iterations, last);  // a dearer set-up is worth more iterations
    last = weighed.iterations;
  }
  EXPECT_THROW(check(PcgOptions{.set_up = -1}), InvalidOption);
}

TEST(Pcg, HandlesZeroRightHandSideLimitsAndBadPreconditioners) {
  Quadratic q(4, 10, 2);
  const auto times = [&q](std::span<const double> v, std::span<double> av) { q.hessian_times(v, av); };
  PcgSpace space;
  Vector x(4, 9.0);
  EXPECT_EQ(pcg(times, Vector(4, 0.0), Identity{}, {}, space, x).reason, StopReason::solved);
  EXPECT_EQ(x, Vector(4, 0.0));
  const Vector b{1, 2, 3, 4};
  EXPECT_EQ(pcg(times, b, Identity{}, {.max_iterations = 1}, space, x).reason, StopReason::max_iterations);
  const auto negative = [](std::span<const double> r, std::span<double> y) {
    for (std::size_t i = 0; i < r.size(); ++i) y[i] = -r[i];
  };
  const PcgResult refused = pcg(times, b, negative, {}, space, x);
  EXPECT_EQ(refused.reason, StopReason::line_search_failed);
  EXPECT_EQ(refused.message, "the preconditioner is not positive definite");
  EXPECT_THROW(check(PcgOptions{.max_iterations = -1}), InvalidOption);
  EXPECT_THROW(check(CgOptions{.relative_tolerance = 1}), InvalidOption);
}

}  // namespace
}  // namespace strata
