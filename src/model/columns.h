#pragma once

#include <filesystem>

#include "strata/data/preprocess.h"
#include "strata/data/table.h"

namespace strata {

// A whole file, read as the training file was. Of a CSV file only those columns are looked at.
Table read_model_columns(const Preprocessor& preprocessor, const std::filesystem::path& path,
                         bool with_targets);

}  // namespace strata
