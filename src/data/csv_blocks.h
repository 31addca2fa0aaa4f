#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "strata/data/read.h"

namespace strata {

// Reads a CSV file block by block, so that its text is never in memory as a whole. Nothing for files that cannot be read
// so, or need not: no longer than a block, compressed, not regular, or with line ends of carriage returns alone.
std::optional<Table> read_csv_in_blocks(const std::filesystem::path& path, const ReadOptions& options,
                                        std::size_t block = std::size_t{4} << 20U);

}  // namespace strata
