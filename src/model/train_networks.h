#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/members.h"
#include "strata/model/fit.h"

namespace strata {

struct TrainedNetworks {
  std::vector<Network> networks = {};
  std::vector<TrainingResult> results = {};  // of each
  std::vector<std::size_t> members = {};     // the number of each: those that cannot be used are left out
  TrainingResult summary = {};
  double l2 = 0;            // of the first
  double squared_norm = 0;  // of the weights that it was trained with; `networks` have those of model files
};

// Trains the networks of a model, one or several, from the weights they have. class_factors: of each class in the weights of
// the rows. The objective of a single network that predicts numbers is not measured where that would take a pass over many rows
// that the errors on them take anyway.
TrainedNetworks train_networks(Model model, const MemberRows& rows, const FitOptions& options,
                               const FitHooks& hooks, std::span<const double> class_factors);

}  // namespace strata
