#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strata/core/stop_reason.h"
#include "strata/core/work.h"
#include "strata/solvers/smooth_function.h"

namespace strata {

// What a solve did and why it ended. The caller owns it and hands it in: a second solve reuses its memory.
struct SolveResult {
  StopReason reason = StopReason::max_iterations;
  std::string_view message;  // a literal, so that saying why allocates nothing; describe() adds the numbers
  Sample best;               // never worse than the start, always finite if the start was
  int iterations = 0;
  int evaluations = 0;  // calls of f, of any kind: values, gradients, Hessian products
  Work work;

  void restart(const Sample& start) {
    if (&best != &start) best = start;
    reason = StopReason::max_iterations;
    message = {};
    iterations = evaluations = 0;
    work = {};
  }
  void stop(StopReason why, std::string_view text) {
    reason = why;
    message = text;
  }
};

// "gradient_tolerance after 12 iterations, 15 evaluations, f = 3.1e-03, |g| = 2.0e-06: the gradient norm ..."
std::string describe(const SolveResult& result);

// Asked once an iteration, with the result so far; a reason ends the solve. Time limits and users come in
// this way.
struct NeverStop {
  std::optional<StopReason> operator()(const SolveResult& /*so_far*/) const { return {}; }
};

template <class Hook>
concept StopHook = requires(Hook& hook, const SolveResult& so_far) {
  { hook(so_far) } -> std::convertible_to<std::optional<StopReason>>;
};

}  // namespace strata
