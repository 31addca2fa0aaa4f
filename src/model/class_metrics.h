#pragma once

#include <span>

#include "strata/model/metrics.h"
#include "strata/objective/packed_rows.h"

namespace strata {

// How good the probabilities of a classification are. class_factors: those of the classes are taken out of the weights.
ClassMetrics class_metrics(const Model& model, const PackedRows& rows, std::span<const double> class_factors);

}  // namespace strata
