#include <gtest/gtest.h>

#include "strata/solvers/conjugate_gradient.h"
#include "strata/solvers/gradient_steps.h"
#include "strata/solvers/lbfgs.h"
#include "strata/solvers/least_squares.h"
#include "support/allocation_counter.h"
#include "support/problems.h"

namespace strata {
namespace {

using test::allocations_of;

TEST(Allocations, CounterSeesPlainAndAlignedMemory) {
  EXPECT_EQ(allocations_of([] { ::operator delete(::operator new(8)); }), 1U);
  EXPECT_EQ(allocations_of([] { Vector(10); }), 1U);
  EXPECT_EQ(allocations_of([] { std::vector<double>(10); }), 1U);
}

// The first visit may allocate; later visits, of any length, may not.
template <class Memory, class Options>
void expect_no_allocation_after_the_first_visit(const Options& options) {
  test::Quadratic q(40, 1e4, 3);
  Memory memory;
  SolveResult result;
  Sample start;
  evaluate(q, Vector(40, 0.0), start);
  EXPECT_GT(allocations_of([&] { minimise(q, start, options, memory, result); }), 0U);
  for (int visit = 0; visit < 5; ++visit) {
    EXPECT_EQ(allocations_of([&] { minimise(q, start, options, memory, result); }), 0U);
    start = result.best;
  }
}

TEST(Allocations, SolversAllocateNothingAfterTheFirstVisit) {
  expect_no_allocation_after_the_first_visit<LbfgsMemory>(LbfgsOptions{.max_iterations = 40});
  expect_no_allocation_after_the_first_visit<LbfgsMemory>(
      LbfgsOptions{.max_iterations = 3, .keep_history = true});
  expect_no_allocation_after_the_first_visit<CgMemory>(CgOptions{.max_iterations = 10});
  expect_no_allocation_after_the_first_visit<GradientStepsMemory>(GradientStepsOptions{.steps = 4});
}

TEST(Allocations, LineSearchesAllocateNothingAfterTheFirstUse) {
  test::Quadratic q(40, 1e4, 3);
  Sample start;
  evaluate(q, Vector(40, 0.0), start);
  Vector direction(start.gradient);
  for (double& component : direction) component = -component;
  ArmijoResult line;
  WolfeSpace space;
  WolfeResult searched;
  const auto both = [&] {
    armijo(q, start, direction, {}, line);
    wolfe(q, start, direction, 1, {}, space, searched);
  };
  both();
  EXPECT_EQ(allocations_of(both), 0U);
}

TEST(Allocations, LinearSolversAllocateNothingAfterTheFirstUse) {
  test::Quadratic q(40, 1e4, 3);
  const auto times = [&q](std::span<const double> v, std::span<double> av) { q.hessian_times(v, av); };
  const Vector b(40, 1.0);
  Vector x(40), matrix(1600);
  for (std::size_t i = 0; i < 40; ++i) matrix[41 * i] = 2;
  PcgSpace space;
  LeastSquaresSpace factor;
  const auto both = [&] {
    pcg(times, b, Identity{}, {}, space, x);
    solve_regularised({matrix.data(), 40, 40}, 0.1, {b.data(), 40, 1}, factor, {x.data(), 40, 1});
  };
  both();
  EXPECT_EQ(allocations_of(both), 0U);
}

}  // namespace
}  // namespace strata
