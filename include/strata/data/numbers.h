#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "strata/core/matrix.h"

namespace strata {

// Rows of numbers as a program has them in memory, not scaled: a view, a row for each sample.
struct Numbers {
  ConstMatrix inputs;
  ConstMatrix targets;                         // as many rows; for predictions none are needed
  std::span<const double> weights = {};        // of the rows in the mean loss; empty: all count the same
  std::vector<std::string> input_names = {};   // empty: x1, x2, ...
  std::vector<std::string> target_names = {};  // empty: y, or y1, y2, ...
  std::vector<std::string> labels =
      {};  // of classes, whose codes 0, 1, ... are the one target; empty: a regression

  [[nodiscard]] std::size_t rows() const { return inputs.rows(); }
};

}  // namespace strata
