#pragma once

#include "model/evaluation_set.h"
#include "strata/model/model.h"

namespace strata {

// Temperature scaling (C. Guo et al., On calibration of modern neural networks, ICML 2017): the T for which predictions from
// outputs / T have the least loss on these rows. A weak preference for T = 1, worth a few rows, keeps it finite where they are
// all right. Between 1/20 and 20. Processes that share the rows call together.
double fit_temperature(const Model& model, const EvaluationSets& sets);

}  // namespace strata
