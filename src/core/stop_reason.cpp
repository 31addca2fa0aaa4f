#include "strata/core/stop_reason.h"

#include "strata/core/fields.h"

namespace strata {

std::string_view to_string(StopReason reason) { return name_of(reason); }

bool converged(StopReason reason) {
  return reason == StopReason::gradient_tolerance || reason == StopReason::relative_decrease ||
         reason == StopReason::solved || reason == StopReason::objective_at_most;
}

}  // namespace strata
