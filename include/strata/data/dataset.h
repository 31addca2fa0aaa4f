#pragma once

#include <cstddef>
#include <span>

#include "strata/core/matrix.h"
#include "strata/core/vector.h"

namespace strata {

// Numbers ready for training: one row per sample, inputs without any constant column (the network adds its own).
struct Dataset {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::size_t outputs = 0;
  Vector inputs;   // rows x features
  Vector targets;  // rows x outputs
  Vector weights;  // of the rows in the mean loss, 0 or more, not all 0; empty: all count the same
  // Where processes share a table, each holds consecutive rows of it: the number of the first, and how many all hold.
  std::size_t first_row = 0;
  std::size_t shared_rows = 0;  // 0: not shared, these rows are all

  Dataset() = default;
  Dataset(std::size_t row_count, std::size_t feature_count, std::size_t output_count)
      : rows(row_count),
        features(feature_count),
        outputs(output_count),
        inputs(row_count * feature_count),
        targets(row_count * output_count) {}

  [[nodiscard]] std::size_t all_rows() const { return shared_rows == 0 ? rows : shared_rows; }
  [[nodiscard]] Matrix x() { return {inputs.data(), rows, features}; }
  [[nodiscard]] Matrix y() { return {targets.data(), rows, outputs}; }
  [[nodiscard]] ConstMatrix x() const { return {inputs.data(), rows, features}; }
  [[nodiscard]] ConstMatrix y() const { return {targets.data(), rows, outputs}; }
};

Dataset take_rows(const Dataset& data, std::span<const std::size_t> rows);

}  // namespace strata
