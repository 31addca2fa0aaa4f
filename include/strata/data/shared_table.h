#pragma once

#include <filesystem>

#include "strata/data/numeric_rows.h"
#include "strata/data/read.h"
#include "strata/data/table.h"
#include "strata/parallel/communicator.h"

namespace strata {

// Reads a table as read_table does, each process only its part of the file: a CSV file is cut into ranges of bytes at the
// ends of rows. Files that cannot be read from the middle (gzipped, ARFF, KEEL) are read by all, who keep their rows.
// All processes call it together; each gets the rows it holds.
Table read_shared_table(const std::filesystem::path& path, const ReadOptions& options,
                        Communicator& processes);

// One table of the rows that processes have in memory, those of the first process first; some may have none. The columns
// are the same everywhere. One that holds texts at some process and nothing but missing values at another is one of
// texts; where the categories are not the same list everywhere they become the sorted ones of all.
Table share_table(Table own, Communicator& processes);
NumericRows share_numbers(NumericRows own, Communicator& processes);

}  // namespace strata
