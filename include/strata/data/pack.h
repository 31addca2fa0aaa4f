#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "strata/data/read.h"

namespace strata {

// What a packed file holds.
struct PackedTable {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> notices = {};  // what the user should know of the reading, a sentence each
};

// Writes the table of a text file (CSV, ARFF, KEEL) as a .strata-rows file, whole or not at all, which read_table reads without
// parsing: the same columns, rows and categories. The text is read group by group and never held; once more from the start where
// a column that begins with numbers turns out to hold texts.
PackedTable pack_table(const std::filesystem::path& path, const std::filesystem::path& out,
                       const ReadOptions& options = {});

}  // namespace strata
