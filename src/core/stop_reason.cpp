#include "strata/core/stop_reason.h"

namespace strata {

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::gradient_tolerance: return "gradient_tolerance";
    case StopReason::relative_decrease: return "relative_decrease";
    case StopReason::solved: return "solved";
    case StopReason::objective_at_most: return "objective_at_most";
    case StopReason::early_stopping: return "early_stopping";
    case StopReason::max_iterations: return "max_iterations";
    case StopReason::max_sweeps: return "max_sweeps";
    case StopReason::max_evaluations: return "max_evaluations";
    case StopReason::time_limit: return "time_limit";
    case StopReason::user_request: return "user_request";
    case StopReason::line_search_failed: return "line_search_failed";
    case StopReason::non_finite: return "non_finite";
  }
  return "unknown";
}

bool converged(StopReason reason) {
  return reason == StopReason::gradient_tolerance || reason == StopReason::relative_decrease ||
         reason == StopReason::solved || reason == StopReason::objective_at_most;
}

}  // namespace strata
