#pragma once

#include <array>
#include <string_view>

namespace strata {

// Why a solve or a training run ended. Every result carries one, and a message beside it.
enum class StopReason {
  gradient_tolerance,  // the gradient norm is at or below the tolerance
  relative_decrease,   // the objective hardly falls any more
  solved,              // a closed form or a finite method reached the minimum
  objective_at_most,   // the objective is at or below the value asked for
  early_stopping,      // the error on validation rows has not fallen for as many sweeps as the patience
  max_iterations,
  max_sweeps,
  max_evaluations,
  time_limit,
  user_request,        // a callback said so
  line_search_failed,  // no step along the direction decreases the function enough
  non_finite,          // values or gradients were not finite; the best finite point is returned
};

constexpr auto names_of(StopReason) {
  return std::to_array<std::string_view>({"gradient_tolerance", "relative_decrease", "solved",
                                          "objective_at_most", "early_stopping", "max_iterations",
                                          "max_sweeps", "max_evaluations", "time_limit", "user_request",
                                          "line_search_failed", "non_finite"});
}
std::string_view to_string(StopReason reason);

// True when the method itself says there is no more to gain; false for limits and failures.
bool converged(StopReason reason);

}  // namespace strata
