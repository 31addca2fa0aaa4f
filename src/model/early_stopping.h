#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "strata/model/model.h"
#include "strata/objective/packed_rows.h"

namespace strata {

// What early stopping makes low on the validation rows, by the name of a figure of Metrics: rmse, accuracy, ... (a figure that
// should be high counts with the opposite sign; of several targets the mean). Nothing for "loss", which a run measures itself.
// Refuses a name that the model's task does not have. `model` needs no networks; it and the rows must outlive the result.
std::function<double(const Network&)> early_stopping_error(std::string_view metric, const Model& model,
                                                           const PackedRows& validation,
                                                           std::span<const double> class_factors);

}  // namespace strata
