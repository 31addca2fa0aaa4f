#pragma once

#include <span>
#include <vector>

#include "strata/model/metrics.h"
#include "strata/model/model.h"
#include "strata/objective/packed_rows.h"

namespace strata {

// Rows, and the members of a model that predict them: all, or those that did not train on these rows. Sets that are measured
// together have one engine.
struct EvaluationSet {
  std::span<const Network> networks;
  const PackedRows* rows;
};
using EvaluationSets = std::vector<EvaluationSet>;

// The rows of a table that have a target and all that the policy asks for; refused by the table's name where there is none.
Dataset rows_to_evaluate(const Preprocessor& preprocessor, const Table& table);

// class_factors: of each class in the weights of the rows, which do not count here.
Metrics evaluate(const Model& model, const EvaluationSets& sets, std::span<const double> class_factors = {});

}  // namespace strata
