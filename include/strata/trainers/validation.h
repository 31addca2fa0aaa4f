#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "strata/core/fields.h"
#include "strata/data/dataset.h"
#include "strata/network/network.h"
#include "strata/parallel/communicator.h"

namespace strata {

// Rows that a run measures itself on but does not learn from. Their error is found after every sweep whose objective is
// reported and, where a sweep has many minibatches, several times in it, outside the charged time; the weights with the
// lowest are those that the network ends with.
struct Validation {
  const Dataset* data = nullptr;  // these rows; must outlive the run
  double fraction = 0;
  std::size_t patience = 0;
  double least_gain = 0;
  double average = 0;
  // What is to be low instead of the mean loss, for example an error rate; it is asked where the loss is.
  std::function<double(const Network&)> error = {};

  // A sweep of more minibatches is looked at in parts of at least so many; where they grow, in stretches (Batches). A part has
  // at least as many rows as these here, and counts as a sweep for the patience.
  static constexpr std::size_t batches_between_looks = 100;

  void fields(auto& list) {
    list("fraction", fraction, positive.smaller_than(1).off_at(0),
         "part of the training rows, drawn by the seed");
    list("patience", patience, at_least(1).off_at(0),
         "sweeps without a new lowest error before the run ends");
    list("least_gain", least_gain, at_least(0).smaller_than(1),
         "part of the lowest error by which it must fall for the patience to begin anew");
    list("average", average, positive.off_at(0),
         "minibatch methods: the mean of the weights over about so many sweeps is tried too");
  }
};

struct HeldOut {
  Dataset training;
  Dataset validation;
};
HeldOut hold_out(const Dataset& data, double fraction, std::uint64_t seed,
                 Communicator& processes = single_process());

}  // namespace strata
