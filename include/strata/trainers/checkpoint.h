#pragma once

#include <functional>

#include "strata/core/fields.h"
#include "strata/core/state.h"

namespace strata {

// Saving the whole state of a run and continuing it later, in another process, to the same bits as without the pause.
// States are taken before the visit of a block, never inside one; taking them is not charged and changes nothing.
//
// A run continues only with the data, network, method and options it was started with; otherwise it is refused
// (InvalidOption). The limits of `Stopping` (sweeps, evaluations, seconds, target), the patience, the callbacks, the
// number of threads and the size of the cache may differ. A schedule that runs up to a limit, such as the cosine of
// Adam, follows the new limit. Updates and selections of the user's own are known by their names.
struct Checkpoints {
  std::function<void(const State&)> save = {};  // keeps the state; what it throws ends the run
  double every_seconds = 0;                     // off: only when the run is interrupted or ends
  const State* resume = nullptr;                // continue from here; must outlive the call of train

  void fields(auto& list) {
    list("every_seconds", every_seconds, positive.at_most(infinity).off_at(0), "elapsed time between saves");
  }
};

}  // namespace strata
