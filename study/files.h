#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace strata {

// Files put inside at build time (cmake/EmbedFiles.cmake): name and text.
using EmbeddedFiles = std::vector<std::pair<std::string_view, std::string_view>>;

const EmbeddedFiles& experiment_files();  // experiments/*.toml and experiments/paper/*.csv
const EmbeddedFiles& page_files();        // study/page/*, and Chart.js as Debian has it

// The text of the file of that name; throws DataError where there is none.
std::string_view text_of(const EmbeddedFiles& files, std::string_view name);

}  // namespace strata
