#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "strata/model/model.h"

namespace strata {

// A model as C99 without dependencies: NAME.h declares a struct of inputs, an enum for every column of categories, a struct of
// outputs and NAME_predict(); NAME.c has the weights as constants. Nothing is allocated, and calls may run at the same
// time.
struct CSource {
  std::string header;
  std::string source;
};

// `name` begins every identifier and is the name of the header in #include; letters, digits and underscores.
CSource c_source(const Model& model, std::string_view name);

// Writes PATH.h and PATH.c, where the last part of the path is the name. Neither is written unless both can be.
void export_c(const Model& model, const std::filesystem::path& path);

}  // namespace strata
