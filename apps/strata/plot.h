#pragma once

#include <string>
#include <vector>

#include "strata/trainers/records.h"

namespace app {

// How the objective and the validation error fell, sweep by sweep, as a small picture of braille signs for a terminal of 80
// columns; all members in the same axes, logarithmic where all values are positive. Empty where there is nothing to see:
// fewer than two sweeps.
std::string loss_plot(const std::vector<strata::TrainingResult>& members);

}  // namespace app
