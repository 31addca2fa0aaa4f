#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/evaluation_set.h"

namespace strata {

// Members that took their bends in turn (FitOptions::bends): the positions, among the model's networks, of those whose bends are
// worth keeping. members: the number of each network, by which its turn is known. A set of bends is judged by the loss of its members'
// mean on the held-out rows that all bends predict; one bend less has to gain a little.
std::vector<std::size_t> members_to_keep(const Model& model, std::span<const std::size_t> members,
                                         std::size_t bends, const EvaluationSets& held_out,
                                         std::span<const double> class_factors);

}  // namespace strata
