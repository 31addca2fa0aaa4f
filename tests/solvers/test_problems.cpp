#include "support/problems.h"

#include <gtest/gtest.h>

#include "strata/core/random.h"

namespace strata {
namespace {

using test::Problem;

TEST(TestProblems, GradientsMatchFiniteDifferencesAtTheStartAndNearIt) {
  // Differences of Brown's badly scaled function (values of 1e12) are good to 6e-6, all others to 1e-6.
  RandomStream random(1);
  for (Problem& problem : test::more_garbow_hillstrom()) {
    EXPECT_LE(test::gradient_error(problem, problem.start), 1e-5) << problem.name;
    Vector near = problem.start;
    for (double& x : near) x += random.uniform(0.01, 0.1);
    EXPECT_LE(test::gradient_error(problem, near), 1e-5) << problem.name;
  }
}

TEST(TestProblems, FiniteDifferencesRefuseOneFlippedSign) {
  Problem problem = test::more_garbow_hillstrom().front();
  const auto right = problem.evaluate;
  problem.evaluate = [right](std::span<const double> x, double* gradient) {
    const double value = right(x, gradient);
    if (gradient != nullptr) gradient[1] = -gradient[1];
    return value;
  };
  EXPECT_GT(test::gradient_error(problem, problem.start), 1e-3);
}

TEST(TestProblems, PublishedMinimisersHaveThePublishedValues) {
  const auto value_of = [](std::string_view number, Vector x) {
    for (Problem& problem : test::more_garbow_hillstrom())
      if (problem.name.starts_with(number)) return problem.value(x);
    return -1.0;
  };
  EXPECT_NEAR(value_of("01", {1, 1}), 0, 1e-15);
  EXPECT_NEAR(value_of("02", {5, 4}), 0, 1e-15);
  EXPECT_NEAR(value_of("02", {11.41277899, -0.8968052533}), 48.9842, 1e-3);
  EXPECT_NEAR(value_of("03", {1.098159e-5, 9.106146}), 0, 1e-6);
  EXPECT_NEAR(value_of("04", {1e6, 2e-6}), 0, 1e-15);
  EXPECT_NEAR(value_of("05", {3, 0.5}), 0, 1e-15);
  EXPECT_NEAR(value_of("06", {0.257825, 0.257825}), 124.362, 1e-3);
  EXPECT_NEAR(value_of("07", {1, 0, 0}), 0, 1e-15);
  EXPECT_NEAR(value_of("12", {1, 10, 1}), 0, 1e-15);
  EXPECT_NEAR(value_of("14", {1, 1, 1, 1}), 0, 1e-15);
  EXPECT_NEAR(value_of("18", {1, 10, 1, 5, 4, 3}), 0, 1e-15);
  EXPECT_NEAR(value_of("27", Vector(10, 1.0)), 0, 1e-15);
}

TEST(TestProblems, QuadraticValueGradientAndProductAgree) {
  test::Quadratic q(7, 100, 3);
  RandomStream random(5);
  Vector x(7), d(7), g(7), hd(7), moved(7), g_moved(7);
  for (std::size_t i = 0; i < 7; ++i) {
    x[i] = random.normal();
    d[i] = random.normal();
  }
  const double value = q.value_and_gradient(x, g);
  EXPECT_NEAR(value, q.value(x), 1e-12 * value);
  q.hessian_times(d, hd);
  step_to(moved, x, 1, d);
  q.value_and_gradient(moved, g_moved);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(g_moved[i] - g[i], hd[i], 1e-11);
  EXPECT_NEAR(q.value(moved), value + dot(g, d) + 0.5 * dot(d, hd), 1e-10);
}

}  // namespace
}  // namespace strata
