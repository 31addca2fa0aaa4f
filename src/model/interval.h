#pragma once

#include <span>

#include "model/evaluation_set.h"
#include "strata/model/model.h"

namespace strata {

// Whether bounds are a prediction of a number -+ something: these may go by the spread of members.
bool has_plain_bounds(const Model& model);

// How far a truth is from the predictions of its target, one or a quantile for each level: the larger, the farther.
double interval_score(const Model& model, std::span<const double> predictions, double truth);

// The scores of a model on rows that did not train the members which predict them: validation rows, or those outside of each
// fold. Processes that share them call together.
ConformalScores conformal_scores(const Model& model, const EvaluationSets& sets);

}  // namespace strata
