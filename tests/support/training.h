#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "strata/trainers/presets.h"
#include "support/networks.h"

namespace strata::testing_support {

// Data and a starting network that a batch method solves in milliseconds.
struct SmallProblem {
  Dataset data = smooth_data(60, 3);
  Network start = random_network({.inputs = 3, .hidden = {5, 4}}, 2, 1.0);
  ObjectiveOptions objective = {.l2 = 1e-3};

  [[nodiscard]] double value_at(const Network& network) const {
    Network copy(network);
    const PackedRows rows(data);
    return Objective(copy, rows, objective).value();
  }
};

// A trained copy of the starting network, and what the run said.
struct Trained {
  Network network;
  TrainingResult result;
};

inline Trained trained(const Network& start, const Dataset& data, const Scheme& scheme,
                       const TrainOptions& options) {
  Network network(start);
  TrainingResult result = train(network, data, scheme, options);
  return {std::move(network), std::move(result)};
}

inline std::vector<double> weights_of(const Network& network) {
  return {network.weights().begin(), network.weights().end()};
}

// A clock that stands still unless it is told to move, or moves a little whenever it is read.
class FakeClock {
 public:
  explicit FakeClock(double per_reading = 0) : per_reading_(per_reading) {}
  [[nodiscard]] Clock clock() {
    return [this] {
      ++readings_;
      return now_ += per_reading_;
    };
  }
  void advance(double seconds) { now_ += seconds; }
  [[nodiscard]] double now() const { return now_; }
  [[nodiscard]] int readings() const { return readings_; }

 private:
  double now_ = 1000;
  double per_reading_;
  int readings_ = 0;
};

}  // namespace strata::testing_support
