#pragma once

#include <span>

#include "model/evaluation_set.h"
#include "strata/model/metrics.h"

namespace strata {

// How good the probabilities of a classification are. class_factors: those of the classes are taken out of the weights.
ClassMetrics class_metrics(const Model& model, const EvaluationSets& sets,
                           std::span<const double> class_factors);

}  // namespace strata
