#pragma once

#include <cstddef>
#include <filesystem>

#include "strata/data/numbers.h"
#include "strata/data/read.h"
#include "strata/data/table.h"
#include "strata/parallel/communicator.h"

namespace strata {

// The rows of a table that this process holds: consecutive ones, the categories of its columns those of all rows.
struct SharedTable {
  Table table;
  std::size_t first_row = 0;
  std::size_t all_rows = 0;
};

// Reads a table as read_table does, each process only its part of the file: a CSV file is cut into ranges of bytes at the
// ends of rows. Files that cannot be read from the middle (gzipped, ARFF, KEEL) are read by all, who keep their rows.
// All processes call it together.
SharedTable read_shared_table(const std::filesystem::path& path, const ReadOptions& options,
                              Communicator& processes);

// Rows of numbers in memory, of which each process has some.
struct SharedNumbers {
  Numbers numbers;
  std::size_t first_row = 0;
  std::size_t all_rows = 0;
};

// One table of the rows that processes have in memory, those of the first process first; some may have none. The columns
// are the same everywhere. One that holds texts at some process and nothing but missing values at another is one of
// texts; where the categories are not the same list everywhere they become the sorted ones of all.
SharedTable share_table(Table own, Communicator& processes);
SharedNumbers share_numbers(Numbers own, Communicator& processes);

}  // namespace strata
