// Solvers x problems: a new solver or a new problem joins the table.
#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <string>
#include <tuple>

#include "strata/solvers/conjugate_gradient.h"
#include "strata/solvers/gradient_steps.h"
#include "strata/solvers/lbfgs.h"
#include "support/problems.h"

namespace strata {
namespace {

using test::Problem;
using test::Quadratic;

std::string readable(std::string text) {  // GoogleTest allows letters and digits alone
  std::erase_if(text, [](unsigned char c) { return std::isalnum(c) == 0; });
  return text;
}

template <class F>
SolveResult solve_lbfgs(F& f, const Sample& start, const LbfgsOptions& options) {
  LbfgsMemory memory;
  SolveResult result;
  minimise(f, start, options, memory, result);
  return result;
}

struct GeneralSolver {
  std::string name;
  std::function<SolveResult(Problem&, const Sample&)> solve;

  friend std::ostream& operator<<(std::ostream& out, const GeneralSolver& solver) {
    return out << solver.name;
  }
};

std::vector<GeneralSolver> general_solvers() {
  const auto lbfgs = [](std::size_t memory, double curvature) {
    return [=](Problem& f, const Sample& start) {
      return solve_lbfgs(f, start,
                         {.memory = memory,
                          .max_iterations = 5000,
                          .gradient_tolerance = f.gradient_tolerance,
                          .line_search = {.curvature = curvature}});
    };
  };
  return {{"Lbfgs", lbfgs(10, 0.9)},
          {"LbfgsOfThreePairs", lbfgs(3, 0.9)},
          {"LbfgsWithATightSearch", lbfgs(10, 0.1)}};
}

class EverySolverOnEveryProblem : public testing::TestWithParam<std::tuple<GeneralSolver, Problem>> {};

TEST_P(EverySolverOnEveryProblem, ReachesAPublishedMinimumAndSaysWhy) {
  auto [solver, problem] = GetParam();
  Sample start;
  evaluate(problem, problem.start, start);
  const SolveResult result = solver.solve(problem, start);
  EXPECT_EQ(result.reason, StopReason::gradient_tolerance) << describe(result);
  EXPECT_TRUE(problem.at_a_minimum(result.best.value)) << describe(result);

  Sample again;  // the sample is of one point
  evaluate(problem, result.best.x, again);
  EXPECT_EQ(result.best.value, again.value);
  EXPECT_EQ(result.best.gradient, again.gradient);
  EXPECT_LE(norm(again.gradient), problem.gradient_tolerance);
}

INSTANTIATE_TEST_SUITE_P(MoreGarbowHillstrom, EverySolverOnEveryProblem,
                         testing::Combine(testing::ValuesIn(general_solvers()),
                                          testing::ValuesIn(test::more_garbow_hillstrom())),
                         [](const auto& table) {
                           return std::get<0>(table.param).name + "On" +
                                  readable(std::get<1>(table.param).name);
                         });

struct QuadraticSolver {
  std::string name;
  double hardest;  // the largest condition number it is meant for
  std::function<SolveResult(Quadratic&, const Sample&)> solve;
};

std::vector<QuadraticSolver> quadratic_solvers() {
  return {{"Lbfgs", 1e6,
           [](Quadratic& q, const Sample& start) {
             return solve_lbfgs(q, start, {.max_iterations = 20000, .gradient_tolerance = 1e-6});
           }},
          {"ConjugateGradient", 1e8,
           [](Quadratic& q, const Sample& start) {
             CgMemory memory;
             SolveResult result;
             minimise(q, start, {.gradient_tolerance = 1e-6}, memory, result);
             return result;
           }},
          {"GradientSteps", 100, [](Quadratic& q, const Sample& start) {
             GradientStepsMemory memory;
             SolveResult result;
             minimise(q, start, {.steps = 20000, .gradient_tolerance = 1e-6}, memory, result);
             return result;
           }}};
}

TEST(EverySolverOnEveryQuadratic, ReachesTheMinimumAndSaysWhy) {
  for (const QuadraticSolver& solver : quadratic_solvers())
    for (const std::size_t size : {1, 2, 7, 40})
      for (const double condition : {1.0, 10.0, 100.0, 1e4, 1e6, 1e8}) {
        if (condition > solver.hardest) continue;
        Quadratic q(size, condition, 17);
        Sample start;
        evaluate(q, Vector(size, -2.0), start);
        const SolveResult result = solver.solve(q, start);
        EXPECT_EQ(result.reason, StopReason::gradient_tolerance)
            << solver.name << " " << size << " " << condition << ": " << describe(result);
        EXPECT_LE(norm(result.best.gradient), 1e-6);
        EXPECT_NEAR(result.best.value, 0, 1e-12);  // |g|^2 / 2 with the smallest eigenvalue 1
      }
}

}  // namespace
}  // namespace strata
