#pragma once

#include <filesystem>

#include "strata/data/table.h"
#include "strata/model/model.h"

namespace strata {

// A whole file, read as the training file was. Of a CSV file only the columns of the model are looked at.
Table read_model_columns(const Model& model, const std::filesystem::path& path, bool with_targets);

}  // namespace strata
