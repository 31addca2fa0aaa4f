#pragma once

#include <string>

#include "strata/model/fit.h"

namespace app {

// The page of a model that was just trained on a table, on rows that did not train: the test rows where there are any, else the
// validation rows, those of members each by the member that did not see them. Without either it shows the training rows,
// and says so. `name` is that of the table.
std::string training_report(const strata::Table& table, const std::string& name,
                            const strata::FitOptions& options, const strata::FitResult& result,
                            strata::Engine& engine);

}  // namespace app
