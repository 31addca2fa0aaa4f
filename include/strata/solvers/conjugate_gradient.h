#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "strata/core/fields.h"
#include "strata/solvers/preconditioner.h"
#include "strata/solvers/solve_result.h"

namespace strata {

struct PcgOptions {
  int max_iterations = 100;
  double relative_tolerance = 1e-8;  // the solve ends when sqrt(r'M r) <= this * sqrt(b'M b), r = b - A x
  // Where it is not off, the solve ends as soon as an iteration lowers the quadratic by less than (all so far) /
  // (set_up + iterations so far): from there on the next solve, with its set-up, gains more for the same time.
  double set_up = 0;

  static constexpr std::string_view kind = "pcg";
  void fields(auto& list) {
    list("max_iterations", max_iterations, at_least(0), "conjugate gradient iterations in one visit, at most",
         "cg-iterations");
    list("relative_tolerance", relative_tolerance, positive.off_at(0), "relative residual at which they end",
         "cg-tolerance");
    list("set_up", set_up, positive.off_at(0),
         "what a visit costs beside them, in iterations: more are done only while they pay", "cg-set-up");
  }
};

struct PcgSpace {
  Vector residual;  // b - A x when the solve ends
  Vector preconditioned, direction, product;

  void prepare(std::size_t size) {
    for (Vector* v : {&residual, &preconditioned, &direction, &product}) v->resize(size);
  }
};

struct PcgResult {
  // solved, max_iterations, relative_decrease (set_up), line_search_failed, non_finite
  StopReason reason = StopReason::max_iterations;
  std::string_view message;
  int iterations = 0;
  double relative_residual = 1;  // sqrt(r'M r / b'M b)
  double model_decrease = 0;     // b'x - x'Ax/2: what the quadratic x'Ax/2 - b'x lost
};

namespace detail {

// Preconditioned conjugate gradients from x = 0 (Nocedal & Wright, algorithm 5.3). space.residual holds b at
// the start; done(r'M r) is asked after every step. set_up: as in PcgOptions.
template <class A, class M, class Done>
PcgResult conjugate_gradients(A& times, M& precondition, int max_iterations, double set_up, Done done,
                              PcgSpace& space, std::span<double> x) {
  auto& [r, y, q, product] = space;
  PcgResult out;
  const auto stop = [&out](StopReason reason, std::string_view message) {
    out.reason = reason;
    out.message = message;
    return out;
  };
  std::fill(x.begin(), x.end(), 0.0);
  precondition(r, y);
  std::copy(y.begin(), y.end(), q.begin());
  double ry = dot(r, y);
  const double first = ry;
  double decrease = 0;  // of x'Ax/2 - b'x
  while (!done(ry)) {
    if (!std::isfinite(ry)) return stop(StopReason::non_finite, "the residual is not finite");
    if (ry <= 0) return stop(StopReason::line_search_failed, "the preconditioner is not positive definite");
    if (out.iterations >= max_iterations)
      return stop(StopReason::max_iterations, "as many iterations as allowed");
    times(q, product);
    const double curvature = dot(q, product);
    const double step = ry / curvature;
    if (!std::isfinite(curvature)) return stop(StopReason::non_finite, "the product is not finite");
    if (curvature <= 0 || !std::isfinite(step))
      return stop(StopReason::line_search_failed, "non-positive curvature: no minimum along the direction");
    add_scaled(x, step, q);
    add_scaled(r, -step, product);
    ++out.iterations;
    const double gain = step * ry / 2;
    decrease += gain;
    precondition(r, y);
    const double previous = std::exchange(ry, dot(r, y));
    step_to(q, y, ry / previous, q);
    out.relative_residual = std::sqrt(std::max(ry, 0.0) / first);
    if (set_up > 0 && gain * (set_up + out.iterations) < decrease)
      return stop(StopReason::relative_decrease,
                  "another iteration gains less than those before, set-up included");
  }
  if (out.iterations == 0) out.relative_residual = 0;
  return stop(StopReason::solved, "the residual is at or below the tolerance");
}

}  // namespace detail

// Solves A x = b for a symmetric positive definite A, from x = 0. times(v, av) writes A v; precondition(r, y)
// writes M r, M close to the inverse of A. Stopped early, x still decreases x'Ax/2 - b'x: every iterate is a
// better one.
template <class A, class M>
PcgResult pcg(A&& times, std::span<const double> b, M&& precondition, const PcgOptions& options,
              PcgSpace& space, std::span<double> x) {
  check(options);
  space.prepare(b.size());
  std::copy(b.begin(), b.end(), space.residual.begin());
  double target = -1;  // set by the first r'M r, which is b'M b
  const auto done = [&](double ry) {
    if (target < 0) target = options.relative_tolerance * options.relative_tolerance * ry;
    return ry >= 0 && ry <= target;
  };
  PcgResult out = detail::conjugate_gradients(times, precondition, options.max_iterations, options.set_up,
                                              done, space, x);
  out.model_decrease = 0.5 * (dot(b, x) + dot(space.residual, x));
  return out;
}

struct CgOptions {
  int max_iterations = 1000;
  double gradient_tolerance = 1e-5;  // the solve ends when ||g|| <= max(this, relative_tolerance * ||g0||)
  double relative_tolerance = 0;

  static constexpr std::string_view kind = "cg";
  void fields(auto& list) {
    list("max_iterations", max_iterations, at_least(0), "products with the Hessian, at most");
    list("gradient_tolerance", gradient_tolerance, not_negative, "stop when ||g|| <= this");
    list("relative_tolerance", relative_tolerance, not_negative.smaller_than(1),
         "stop when ||g|| <= this times the first ||g||");
  }
};

struct CgMemory {
  PcgSpace space;
  Vector step;
  Sample next;
};

namespace detail {

// Conjugate gradients on H d = -g, from d = 0 to memory.step.
template <QuadraticFunction F, class M>
PcgResult newton_step(Counted<F>& f, int max_iterations, double target, const Vector& gradient,
                      M& precondition, CgMemory& memory) {
  std::transform(gradient.begin(), gradient.end(), memory.space.residual.begin(),
                 [](double g) { return -g; });
  const auto times = [&f](std::span<const double> v, std::span<double> hv) { f.hessian_times(v, hv); };
  const auto done = [&memory, target](double /*ry*/) { return norm(memory.space.residual) <= target; };
  return conjugate_gradients(times, precondition, max_iterations, 0, done, memory.space, memory.step);
}

// The true sample at x + d; false, and nothing moved, if it is no better.
template <QuadraticFunction F>
bool take_step(Counted<F>& f, CgMemory& memory, Sample& best) {
  Sample& next = memory.next;
  next.x.resize(best.x.size());
  next.gradient.resize(best.x.size());
  step_to(next.x, best.x, 1, memory.step);
  next.value = f.value_and_gradient(next.x, next.gradient);
  const bool better = finite(next) && next.value <= best.value;
  if (better) std::swap(best, next);
  return better;
}

// The recurrence loses the true gradient to rounding on ill-conditioned problems: each round starts from it
// again (residual replacement), until it meets the target or a round does not halve it.
template <QuadraticFunction F, class M>
void cg_rounds(Counted<F>& f, int max_iterations, double target, M& precondition, CgMemory& memory,
               SolveResult& out) {
  while (norm(out.best.gradient) > target) {
    const double before = norm(out.best.gradient);
    const PcgResult round =
        newton_step(f, max_iterations - out.iterations, target, out.best.gradient, precondition, memory);
    const bool better = round.iterations > 0 && take_step(f, memory, out.best);
    out.iterations += round.iterations;
    out.evaluations = f.calls();
    const double after = norm(out.best.gradient);
    if (after <= target) break;
    if (round.reason != StopReason::solved) return out.stop(round.reason, round.message);
    if (!better || after > 0.5 * before)
      return out.stop(StopReason::relative_decrease, "the gradient falls no further: rounding");
  }
  out.stop(StopReason::gradient_tolerance, "the gradient norm is at or below the tolerance");
}

}  // namespace detail

// Minimises a quadratic by conjugate gradients; precondition(r, y) as for pcg.
template <QuadraticFunction F, class M = Identity>
void minimise(F& f, const Sample& start, const CgOptions& options, CgMemory& memory, SolveResult& out,
              M&& precondition = {}) {
  assert(start.x.size() == f.size() && start.gradient.size() == f.size());
  check(options);
  memory.space.prepare(f.size());
  memory.step.resize(f.size());
  out.restart(start);
  if (!finite(start)) return out.stop(StopReason::non_finite, "the start is not finite");
  Counted<F> counted(f);
  const double target =
      std::max(options.gradient_tolerance, options.relative_tolerance * norm(out.best.gradient));
  detail::cg_rounds(counted, options.max_iterations, target, precondition, memory, out);
  out.work = counted.work();
}

}  // namespace strata
