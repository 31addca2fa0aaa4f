#pragma once

#include <vector>

#include "command.h"
#include "strata/data/text_style.h"
#include "strata/model/predict.h"

namespace app {

// How a table is written as text: the same options for every command that reads one.
std::vector<OptionSpec> text_option_specs();
strata::TextStyle text_style(const Settings& settings);

// These, and what is to be done about missing values and unseen categories: of commands that have a model.
std::vector<OptionSpec> new_rows_option_specs();
strata::NewRows new_rows(const Settings& settings);

}  // namespace app
