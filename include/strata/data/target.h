#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/data/dataset.h"
#include "strata/data/encode.h"
#include "strata/data/numeric_rows.h"
#include "strata/data/preprocess_options.h"
#include "strata/data/table.h"
#include "strata/parallel/communicator.h"

namespace strata {

// What is predicted: one or several numbers, or one of several classes. It owns the way from raw columns to the targets of
// a data set, and back.
class Target {
 public:
  enum class Kind { regression, binary, multiclass };

  Target() = default;
  explicit Target(std::vector<ColumnEncoding> columns) : columns_(std::move(columns)) {}

  // What the training rows say. `count`: of those rows, at all processes that share the table and call together.
  static Target fit(const Table& table, const std::vector<std::string>& names,
                    std::span<const std::size_t> rows, std::size_t count, const PreprocessOptions& options,
                    Communicator& processes);
  // For scaled numbers, or the codes of labels, whichever rows train.
  static Target of_numbers(std::vector<ColumnEncoding> columns, const std::vector<std::string>& labels,
                           std::size_t count);

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] std::size_t outputs() const { return columns_.size(); }  // of a data set
  [[nodiscard]] const std::vector<ColumnEncoding>& columns() const { return columns_; }
  [[nodiscard]] std::vector<std::string> names() const;
  // The classes, in the order of their codes; empty for a regression.
  [[nodiscard]] std::vector<std::string> labels() const;

  // Writes the targets of the given rows. Refuses a class that training had not.
  void encode(const Table& table, std::span<const std::size_t> rows, Dataset& data) const;
  // Scaled targets or predictions, rows x outputs, into the target's own units and back. Classes are their codes in both,
  // a two-valued text target of a regression is 0 or 1.
  [[nodiscard]] double to_own_units(double scaled, std::size_t output = 0) const {
    return columns_[output].scale.invert(scaled);
  }
  [[nodiscard]] double to_scaled(double value, std::size_t output = 0) const {
    return columns_[output].scale.apply(value);
  }

  friend bool operator==(const Target&, const Target&) = default;

 private:
  std::vector<ColumnEncoding> columns_;
};

// The columns to predict: those of the options, or those that the file declares.
std::vector<std::string> target_names_of(const Table& table, const PreprocessOptions& options);

// The column of the table that a classification predicts; none for a regression.
std::optional<std::size_t> class_target(const Table& table, const PreprocessOptions& options);

// How the column is to be encoded, by the options and by what it holds.
ColumnType encoded_type(const Column& column, const PreprocessOptions& options);

}  // namespace strata
