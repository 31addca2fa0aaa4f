#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "strata/core/matrix.h"

namespace strata {

// Rows of numbers as a program has them in memory, not scaled: a view, a row for each sample.
struct NumericRows {
  ConstMatrix inputs;
  ConstMatrix targets;                         // as many rows; for predictions none are needed
  std::span<const double> weights = {};        // of the rows in the mean loss; empty: all count the same
  std::vector<std::string> input_names = {};   // empty: x1, x2, ...
  std::vector<std::string> target_names = {};  // empty: y, or y1, y2, ...
  std::vector<std::string> labels =
      {};  // of classes, whose codes 0, 1, ... are the one target; empty: a regression

  // Where processes share the rows, these are consecutive ones of all.
  std::size_t first_row = 0;
  std::size_t shared_rows = 0;  // 0: not shared

  [[nodiscard]] std::size_t rows() const { return inputs.rows(); }
  [[nodiscard]] std::size_t all_rows() const { return shared_rows == 0 ? rows() : shared_rows; }
};

}  // namespace strata
