// An independent L-BFGS (liblbfgs, N. Okazaki's C port of Nocedal's code, More-Thuente search) on the same
// problems.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <lbfgs.h>

#include <algorithm>

#include "strata/solvers/lbfgs.h"
#include "support/problems.h"

namespace strata {
namespace {

using test::Problem;

constexpr int iterations = 2000;
constexpr int memory_pairs = 10;

struct Outcome {
  bool solved;
  int evaluations;
};

Outcome ours(Problem problem) {
  Sample start;
  evaluate(problem, problem.start, start);
  LbfgsMemory memory;
  SolveResult result;
  minimise(problem, start,
           {.memory = memory_pairs,
            .max_iterations = iterations,
            .gradient_tolerance = problem.gradient_tolerance},
           memory, result);
  const bool solved =
      result.reason == StopReason::gradient_tolerance && problem.at_a_minimum(result.best.value);
  return {solved, problem.calls};
}

lbfgsfloatval_t evaluate_for_liblbfgs(void* instance, const lbfgsfloatval_t* x, lbfgsfloatval_t* g, int n,
                                      lbfgsfloatval_t /*step*/) {
  const auto size = static_cast<std::size_t>(n);
  return static_cast<Problem*>(instance)->value_and_gradient({x, size}, {g, size});
}

// Its own test is relative to ||x||; stopping from here makes the tolerance the same for both.
int stop_at_tolerance(void* instance, const lbfgsfloatval_t* /*x*/, const lbfgsfloatval_t* /*g*/,
                      lbfgsfloatval_t /*f*/, lbfgsfloatval_t /*xnorm*/, lbfgsfloatval_t gnorm,
                      lbfgsfloatval_t /*step*/, int /*n*/, int /*k*/, int /*trials*/) {
  return gnorm <= static_cast<Problem*>(instance)->gradient_tolerance ? 1 : 0;
}

Outcome theirs(Problem problem) {
  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = memory_pairs;
  parameters.epsilon = 0;
  parameters.max_iterations = iterations;
  const int n = static_cast<int>(problem.size());
  lbfgsfloatval_t* x = lbfgs_malloc(n);
  std::copy(problem.start.begin(), problem.start.end(), x);
  lbfgsfloatval_t value = 0;
  lbfgs(n, x, &value, evaluate_for_liblbfgs, stop_at_tolerance, &problem, &parameters);
  const int evaluations = problem.calls;
  Vector gradient(problem.size());
  value = problem.value_and_gradient({x, problem.size()}, gradient);
  lbfgs_free(x);
  return {norm(gradient) <= problem.gradient_tolerance && problem.at_a_minimum(value), evaluations};
}

TEST(LbfgsAgainstLiblbfgs, SolvesAtLeastAsManyWithAtMostOneAndAHalfTimesTheEvaluations) {
  Outcome our_total{true, 0};
  Outcome their_total{true, 0};
  int our_solved = 0;
  int their_solved = 0;
  for (const Problem& problem : test::more_garbow_hillstrom()) {
    const Outcome a = ours(problem);
    const Outcome b = theirs(problem);
    fmt::print("{:40} ours {:5}{}   liblbfgs {:5}{}\n", problem.name, a.evaluations,
               a.solved ? "" : " unsolved", b.evaluations, b.solved ? "" : " unsolved");
    our_solved += a.solved ? 1 : 0;
    their_solved += b.solved ? 1 : 0;
    our_total.evaluations += a.evaluations;
    their_total.evaluations += b.evaluations;
    EXPECT_TRUE(a.solved || !b.solved) << problem.name;
  }
  fmt::print("{:40} ours {:5} ({} solved)   liblbfgs {:5} ({} solved)\n", "total", our_total.evaluations,
             our_solved, their_total.evaluations, their_solved);
  EXPECT_GE(our_solved, their_solved);
  EXPECT_LE(our_total.evaluations, 1.5 * their_total.evaluations);
}

}  // namespace
}  // namespace strata
