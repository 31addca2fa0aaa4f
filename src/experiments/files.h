#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace strata {

// experiments/*.toml and experiments/paper/*.csv, put inside at build time: file name and text.
const std::vector<std::pair<std::string_view, std::string_view>>& experiment_files();

}  // namespace strata
