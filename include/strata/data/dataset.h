#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/core/stored_vector.h"
#include "strata/core/vector.h"

namespace strata {

// What an input column holds: numbers, or codes of categories; NaN where a value is missing.
struct InputColumn {
  // 0: numbers; otherwise codes 0, 1, ... and, for any other category, this number.
  std::size_t categories = 0;
  // Stands for a missing value among the features. NaN: there is none, and a missing value is refused by who trains.
  double fill = std::numeric_limits<double>::quiet_NaN();
  bool indicator = false;  // a further 0/1 feature: was the value missing?

  // Columns of two categories and of numbers become one feature, others one 0/1 feature for each category.
  [[nodiscard]] std::size_t value_features() const { return categories > 2 ? categories : 1; }
  [[nodiscard]] std::size_t features() const { return value_features() + (indicator ? 1 : 0); }
};

// The columns of a data set, and how they become the features of a network: the one place where categories and missing
// values are expanded.
struct InputLayout {
  std::vector<InputColumn> columns = {};
  bool expand = true;  // false: every column is one feature as it stands, with its codes and NaN

  [[nodiscard]] std::size_t features() const;
};

// Rows ready for training, column by column, without any constant column (the network adds its own).
struct Dataset {
  std::size_t rows = 0;
  std::size_t outputs = 0;
  InputLayout layout;
  StoredVector<double, CacheLineAllocator<double>> inputs;  // one column after the other
  Vector targets;                                           // rows x outputs
  Vector weights;  // of the rows in the mean loss, 0 or more, not all 0; empty: all count the same
  // Where processes share a table, each holds consecutive rows of it: the number of the first, and how many all hold.
  std::size_t first_row = 0;
  std::size_t shared_rows = 0;  // 0: not shared, these rows are all

  Dataset() = default;
  // on_disk: its inputs are in a file without a name, for more rows than the memory has room for.
  Dataset(std::size_t row_count, InputLayout input_layout, std::size_t output_count, bool on_disk = false);
  // Columns of numbers: zeros, or rows of a matrix.
  Dataset(std::size_t row_count, std::size_t columns, std::size_t output_count);
  Dataset(ConstMatrix input_rows, ConstMatrix target_rows);

  [[nodiscard]] std::size_t all_rows() const { return shared_rows == 0 ? rows : shared_rows; }
  [[nodiscard]] std::size_t columns() const { return layout.columns.size(); }
  [[nodiscard]] std::size_t features() const { return layout.features(); }
  [[nodiscard]] std::span<double> column(std::size_t c) { return {inputs.data() + c * rows, rows}; }
  [[nodiscard]] std::span<const double> column(std::size_t c) const {
    return {inputs.data() + c * rows, rows};
  }
  [[nodiscard]] double& x(std::size_t row, std::size_t c) { return inputs[c * rows + row]; }
  [[nodiscard]] double x(std::size_t row, std::size_t c) const { return inputs[c * rows + row]; }
  [[nodiscard]] Matrix y() { return {targets.data(), rows, outputs}; }
  [[nodiscard]] ConstMatrix y() const { return {targets.data(), rows, outputs}; }

  // The features of consecutive rows, a row for each in `out`; or a column for each, as kernels read them.
  void write_features(std::size_t first, Matrix out) const;
  void write_feature_panel(std::size_t first, std::size_t count, Matrix out) const;
};

// All features: rows x features.
Vector feature_rows(const Dataset& data);

Dataset take_rows(const Dataset& data, std::span<const std::size_t> rows);

}  // namespace strata
