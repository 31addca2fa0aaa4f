#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/data/numbers.h"
#include "strata/data/preprocess.h"
#include "strata/data/table.h"

namespace strata {

// The class of every row, before anything is fitted: what a split looks at.
struct RowClasses {
  std::string target = {};
  std::vector<std::string> labels = {};
  std::vector<std::int32_t> codes =
      {};  // of all rows, -1 where the target is missing; empty for a regression
};

RowClasses row_classes(const Table& table, const PreprocessOptions& options,
                       Communicator& processes = single_process());
RowClasses row_classes(const Numbers& numbers, const PreprocessOptions& options,
                       Communicator& processes = single_process());

// A sentence on the classes with a single row, which no split takes from the training rows; none without such.
std::vector<std::string> lonely_classes(const RowClasses& classes);

}  // namespace strata
