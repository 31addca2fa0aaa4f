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

// A table of RMSE, MAE and R2, one row for each set and target.
std::string error_table(const std::vector<NamedMetrics>& sets, const std::vector<std::string>& targets);

}  // namespace app
