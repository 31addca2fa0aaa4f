#pragma once

#include <filesystem>

namespace strata {

// True when the extension says CSV.
bool is_csv(const std::filesystem::path& path);

}  // namespace strata
