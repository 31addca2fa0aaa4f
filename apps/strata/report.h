#pragma once

#include <string>

#include "strata/model/fit.h"
#include "strata/model/metrics.h"

namespace app {

// Why it stopped, the errors of each set in the target's own units, and where the model is.
std::string summary(const strata::FitResult& result, const std::string& model);

struct NamedMetrics {
  std::string name;
  const strata::Metrics* metrics;
};

// A table of the figures of each set (RMSE, MAE, R2; log-loss, accuracy, ...), one row for each target or level, and
// for a classification of up to ten classes how often each was taken for which, in the last set.
std::string error_table(const std::vector<NamedMetrics>& sets, const strata::Model& model);

// "classification of y: no, yes"
std::string class_sentence(const strata::Preprocessor& preprocessor);

}  // namespace app
