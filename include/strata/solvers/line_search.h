#pragma once

#include <cmath>
#include <span>
#include <string_view>

#include "strata/core/fields.h"
#include "strata/core/stop_reason.h"
#include "strata/solvers/smooth_function.h"

namespace strata {

struct ArmijoOptions {
  double first_step = 1;
  double decrease = 1e-4;
  double shrink = 0.5;
  int max_trials = 60;

  static constexpr std::string_view kind = "armijo";
  void fields(auto& list) {
    list("first_step", first_step, positive, "step length of the first trial");
    list("decrease", decrease, positive.smaller_than(1), "gamma in f(x + alpha d) <= f(x) + gamma alpha g'd");
    list("shrink", shrink, positive.smaller_than(1), "factor of alpha after a refused trial");
    list("max_trials", max_trials, at_least(1), "evaluations in one line search");
  }
};

// The point belongs to the value: x = start + step * direction. After a failure both are those of the start.
struct ArmijoResult {
  StopReason reason = StopReason::line_search_failed;  // solved, line_search_failed or non_finite
  std::string_view message;
  double step = 0;  // 0: no step was found
  Vector x;
  double value = 0;
  int trials = 0;  // evaluations of the value alone
};

namespace detail {

inline void refuse(const Sample& start, StopReason reason, std::string_view message, ArmijoResult& out) {
  out.reason = reason;
  out.message = message;
  out.step = 0;
  out.x = start.x;
  out.value = start.value;
}

}  // namespace detail

// Armijo's rule as Algorithm 1 of Palagi & Seccia: alpha = a; while f(x + alpha d) > f(x) + gamma alpha g'd,
// alpha <- delta alpha. A trial whose value is not finite counts as refused.
template <SmoothFunction F>
void armijo(F& f, const Sample& start, std::span<const double> direction, const ArmijoOptions& options,
            ArmijoResult& out) {
  check(options);
  out.trials = 0;
  const double slope = dot(start.gradient, direction);
  if (!std::isfinite(start.value) || !std::isfinite(slope))
    return detail::refuse(start, StopReason::non_finite, "the start or the direction is not finite", out);
  if (slope >= 0)
    return detail::refuse(start, StopReason::line_search_failed, "not a direction of descent", out);

  out.x.resize(start.x.size());
  double step = options.first_step;
  while (out.trials < options.max_trials) {
    step_to(out.x, start.x, step, direction);
    out.value = f.value(out.x);
    ++out.trials;
    if (std::isfinite(out.value) && out.value <= start.value + options.decrease * step * slope) {
      out.reason = StopReason::solved;
      out.message = "sufficient decrease";
      out.step = step;
      return;
    }
    step *= options.shrink;
  }
  if (!std::isfinite(out.value))
    return detail::refuse(start, StopReason::non_finite, "no trial step has a finite value", out);
  detail::refuse(start, StopReason::line_search_failed, "no trial step decreases the function enough", out);
}

}  // namespace strata
