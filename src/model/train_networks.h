#pragma once

#include <cstddef>
#include <vector>

#include "model/members.h"
#include "strata/model/fit.h"

namespace strata {

struct TrainedNetworks {
  std::vector<Network> networks = {};
  std::vector<TrainingResult> results = {};  // of each
  std::vector<std::size_t> members = {};     // the number of each: those that cannot be used are left out
  TrainingResult summary = {};
  double l2 = 0;
  std::vector<L2PathPoint> l2_path = {};
};

// Trains the networks of a model, one or several, from the weights they have.
TrainedNetworks train_networks(std::vector<Network> networks, const Preprocessor& preprocessor,
                               const MemberRows& rows, const Loss& loss, const FitOptions& options,
                               const FitHooks& hooks);

}  // namespace strata
