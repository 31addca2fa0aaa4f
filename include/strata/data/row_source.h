#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/data/dataset.h"
#include "strata/data/numeric_rows.h"
#include "strata/data/preprocess.h"
#include "strata/data/table.h"
#include "strata/parallel/communicator.h"

namespace strata {

// The class of every row, before anything is fitted: what a split looks at.
struct RowClasses {
  std::string target = {};
  std::vector<std::string> labels = {};
  std::vector<std::int32_t> codes =
      {};  // of all rows, -1 where the target is missing; empty for a regression
};

// Rows to learn from: a table, or numbers that a program has in memory. Where processes share them, each holds its part.
// They then call together and name rows by their numbers among all. A view.
class RowSource {
 public:
  RowSource(const Table& table,  // NOLINT(google-explicit-constructor): a table is a source of rows
            Communicator& processes = single_process())
      : table_(&table), processes_(&processes) {}
  RowSource(const NumericRows& numbers,  // NOLINT(google-explicit-constructor): and so are numbers
            Communicator& processes = single_process())
      : numbers_(&numbers), processes_(&processes) {}

  [[nodiscard]] const Table* table() const { return table_; }  // none where the rows are numbers
  [[nodiscard]] Communicator& processes() const { return *processes_; }
  [[nodiscard]] std::size_t rows() const;  // of all processes

  [[nodiscard]] RowClasses classes(const PreprocessOptions& options) const;
  // For a loss of counts: the first one below 0, with its place.
  void refuse_negative_targets(const PreprocessOptions& options, std::string_view needed_by) const;
  [[nodiscard]] Preprocessor fit(std::span<const std::size_t> rows, const PreprocessOptions& options,
                                 std::vector<std::string>& notices) const;
  // The data that one process would make of these rows, in their order. Processes get an even part each.
  [[nodiscard]] Dataset encode(const Preprocessor& preprocessor, std::vector<std::size_t> rows) const;

 private:
  [[nodiscard]] std::size_t first_row() const;
  [[nodiscard]] std::size_t held_rows() const;
  [[nodiscard]] std::vector<std::size_t> own_rows(std::span<const std::size_t> rows) const;
  [[nodiscard]] Dataset encode_held(const Preprocessor& preprocessor, std::vector<std::size_t> rows) const;

  const Table* table_ = nullptr;
  const NumericRows* numbers_ = nullptr;
  Communicator* processes_;
};

}  // namespace strata
