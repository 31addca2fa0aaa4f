#pragma once

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

#include "strata/core/fields.h"
#include "strata/solvers/line_search.h"
#include "strata/solvers/solve_result.h"

namespace strata {

struct GradientStepsOptions {
  int steps = 1;
  double gradient_tolerance = 0;
  ArmijoOptions line_search = {};

  static constexpr std::string_view kind = "gradient_steps";
  void fields(auto& list) {
    list("steps", steps, at_least(0), "gradient steps of a visit, at most", "steps");
    list("gradient_tolerance", gradient_tolerance, not_negative, "stop earlier when ||g|| <= this");
    line_search.fields(list);
  }
};

struct GradientStepsMemory {
  Vector direction;
  ArmijoResult line;
  Sample next;
};

namespace detail {

template <SmoothFunction F>
bool armijo_gradient_step(Counted<F>& f, const GradientStepsOptions& options, GradientStepsMemory& memory,
                          SolveResult& out) {
  const Vector& gradient = out.best.gradient;
  memory.direction.resize(gradient.size());
  std::transform(gradient.begin(), gradient.end(), memory.direction.begin(), [](double g) { return -g; });
  armijo(f, out.best, memory.direction, options.line_search, memory.line);
  if (memory.line.step > 0) evaluate(f, memory.line.x, memory.next);
  out.evaluations = f.calls();
  if (memory.line.step == 0) return out.stop(memory.line.reason, memory.line.message), false;
  if (!finite(memory.next))
    return out.stop(StopReason::non_finite, "the gradient after the step is not finite"), false;
  // The value with gradient may round otherwise than the value alone; the objective still never increases.
  if (memory.next.value > out.best.value)
    return out.stop(StopReason::line_search_failed, "the decrease left is below rounding"), false;
  std::swap(out.best, memory.next);
  return true;
}

template <SmoothFunction F>
void gradient_steps_loop(Counted<F>& f, const GradientStepsOptions& options, GradientStepsMemory& memory,
                         SolveResult& out) {
  if (!finite(out.best)) return out.stop(StopReason::non_finite, "the start is not finite");
  for (;; ++out.iterations) {
    if (norm(out.best.gradient) <= options.gradient_tolerance)
      return out.stop(StopReason::gradient_tolerance, "the gradient norm is at or below the tolerance");
    if (out.iterations >= options.steps)
      return out.stop(StopReason::max_iterations, "as many gradient steps as asked for");
    if (!armijo_gradient_step(f, options, memory, out)) return;
  }
}

}  // namespace detail

// A fixed number of steepest-descent steps, each with Armijo's rule.
template <SmoothFunction F>
void minimise(F& f, const Sample& start, const GradientStepsOptions& options, GradientStepsMemory& memory,
              SolveResult& out) {
  assert(start.x.size() == f.size() && start.gradient.size() == f.size());
  check(options);
  out.restart(start);
  Counted<F> counted(f);
  detail::gradient_steps_loop(counted, options, memory, out);
  out.work = counted.work();
}

}  // namespace strata
