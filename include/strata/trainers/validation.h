#pragma once

#include <cstddef>
#include <cstdint>

#include "strata/core/fields.h"
#include "strata/data/dataset.h"
#include "strata/parallel/communicator.h"

namespace strata {

// Rows that a run measures itself on but does not learn from. Their error is found wherever the full objective is
// reported, outside the charged time; the weights with the lowest are those that the network ends with.
struct Validation {
  const Dataset* data = nullptr;  // these rows; must outlive the run
  double fraction = 0;
  std::size_t patience = 0;

  void fields(auto& list) {
    list("fraction", fraction, positive.smaller_than(1).off_at(0),
         "part of the training rows, drawn by the seed");
    list("patience", patience, at_least(1).off_at(0),
         "sweeps without a new lowest error before the run ends");
  }
};

struct HeldOut {
  Dataset training;
  Dataset validation;
};
HeldOut hold_out(const Dataset& data, double fraction, std::uint64_t seed,
                 Communicator& processes = single_process());

}  // namespace strata
