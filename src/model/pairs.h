#pragma once

#include <vector>

#include "strata/data/dataset.h"
#include "strata/model/fit.h"
#include "strata/network/network.h"

namespace strata {

// Pairs of numbers whose interaction a network misses, each as a sum and a difference in units of their interquartile ranges: the
// network is trained on at most 16,384 of the rows, and its residuals on them are looked at in cells of two columns, less
// what either column explains by itself. At most FitOptions::interactions of them (docs/mathematics.md, "Pairs of numbers").
std::vector<InputSum> interacting_pairs(Network network, const Dataset& train, const Loss& loss,
                                        const FitOptions& options, const FitHooks& hooks);

}  // namespace strata
