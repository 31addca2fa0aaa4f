#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/errors.h"
#include "strata/core/stored_vector.h"
#include "strata/data/text_style.h"

namespace strata {

enum class ColumnType {
  numeric,
  nominal,
  date,  // never of a column in a table: texts that are encoded as dates
};

// One named column. A numeric one holds numbers (NaN = missing), a nominal one codes into its categories.
struct Column {
  static constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();
  static constexpr std::int32_t missing_code = -1;

  std::string name = {};
  ColumnType type = ColumnType::numeric;
  StoredVector<double> numbers = {};
  std::vector<std::string> categories = {};  // declared order, or sorted when they were found in the cells
  StoredVector<std::int32_t> codes = {};
  std::size_t position =
      0;  // in the file it was read from, counted from 1; 0: none, or the one it has in the table
  std::string unit = {};  // percent sign or currency beside every number in the file

  [[nodiscard]] std::size_t size() const {
    return type == ColumnType::numeric ? numbers.size() : codes.size();
  }
  [[nodiscard]] bool is_missing(std::size_t row) const;
  [[nodiscard]] std::string text(
      std::size_t row) const;  // the value as a reader would write it; "?" when missing
  [[nodiscard]] Column take(std::span<const std::size_t> rows) const;
  // The cells of a column in a file leave the memory until they are used again.
  void release() const {
    numbers.release();
    codes.release();
  }
};

Column numeric_column(std::string name, std::vector<double> numbers);
Column nominal_column(std::string name, std::vector<std::string> categories, std::vector<std::int32_t> codes);

// A typed table as it stands in a file: nothing is encoded or scaled. Rows remember the line they came from,
// so that a refusal long after reading still points into the file.
struct Table {
  std::string file = "table";
  std::vector<Column> columns = {};
  std::vector<std::size_t> lines = {};    // one per row, counted from 1; empty for a table made in memory
  std::vector<double> weights = {};       // of the rows in the mean loss; empty: all count the same
  std::vector<std::string> outputs = {};  // columns which the file itself declares to be outputs (KEEL)
  TextStyle style = {};                   // how the file was read, for others like it
  std::vector<std::string> notices = {};  // what the user should know of the reading, a sentence each

  // Where processes share the rows, these are consecutive ones of all; the categories are then those of all rows.
  std::size_t first_row = 0;
  std::size_t shared_rows = 0;  // 0: not shared

  [[nodiscard]] std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
  [[nodiscard]] std::size_t all_rows() const { return shared_rows == 0 ? rows() : shared_rows; }
  // Some columns are in a file, because the memory has no room for all.
  [[nodiscard]] bool on_disk() const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  [[nodiscard]] std::size_t index(
      std::string_view name) const;  // refuses an unknown name, suggests the nearest
  [[nodiscard]] const Column& column(std::string_view name) const { return columns[index(name)]; }

  // The refusal of one cell, with file, line and column, or with the row when there is no file.
  [[nodiscard]] DataError refusal(std::size_t row, std::size_t column, std::string_view problem) const;
};

// The numbers of this column become the weights of the rows, and it is no column any more. Refuses a weight that is missing or
// below 0.
void take_weights(Table& table, std::string_view name);

Table take_rows(const Table& table, std::span<const std::size_t> rows);

// Rows in which none of the named columns is missing, in order.
std::vector<std::size_t> rows_with_values(const Table& table, std::span<const std::string> names);

}  // namespace strata
