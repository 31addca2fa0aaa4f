#pragma once

#include <functional>
#include <vector>

#include "strata/data/dataset.h"
#include "strata/model/fit.h"
#include "strata/network/knots.h"
#include "strata/network/network.h"

namespace strata {

// A new network whose first layer also reads these columns.
using NetworkWith = std::function<Network(const std::vector<ColumnBasis>&)>;

// Columns for pairs of numbers whose interaction a network misses, at most FitOptions::interactions of them: the network is trained on
// at most 16,384 of the rows, and its residuals on them are looked at in cells of two columns, less what either column explains by
// itself. Each pair becomes a sum and a difference in units of the interquartile ranges or, where a network with them predicts
// validation rows better, sixteen directions with twice the knots (docs/mathematics.md, "Pairs of numbers").
std::vector<ColumnBasis> interacting_pairs(const NetworkWith& network_with, const Dataset& train,
                                           std::size_t knots, Line line, const Loss& loss,
                                           const FitOptions& options, const FitHooks& hooks);

}  // namespace strata
