#pragma once

#include <vector>

#include "command.h"
#include "strata/model/fit.h"

namespace app {

std::vector<OptionSpec> train_option_specs();
strata::FitOptions fit_options(const Settings& settings);
bool is_paper_protocol(const Settings& settings);

}  // namespace app
