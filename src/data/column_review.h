#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "strata/data/encode.h"
#include "strata/data/preprocess.h"
#include "strata/data/table.h"
#include "strata/parallel/communicator.h"

namespace strata {

// Decides which columns of a table can teach anything, and remembers what the user should know. Processes that share the
// table make the same calls.
class ColumnReview {
 public:
  ColumnReview(const Table& table, const PreprocessOptions& options, Communicator& processes)
      : table_(table), options_(options), processes_(processes) {}

  // Those of the inputs that have a value in some row; a column without any is left out or refused, unless it is to be kept.
  std::vector<std::string> with_values(const std::vector<std::string>& inputs);

  // Whether a column takes part, and with an indicator of missing values; refuses or notes one that does not.
  bool keeps(FittedColumn& column, std::size_t position, std::span<const std::size_t> rows);

  // Notes or refuses a target that is the same number in every row to train on.
  void look_at_targets(const std::vector<std::string>& targets, std::span<const std::size_t> rows);

  [[noreturn]] void refuse_nothing_left() const;

  // What was left out or filled in.
  void append_notices(const std::vector<std::string>& targets, std::vector<std::string>& notices) const;

 private:
  [[nodiscard]] std::size_t missing_in(std::size_t position, std::span<const std::size_t> rows) const;
  [[nodiscard]] std::size_t missing_everywhere(std::size_t position) const;
  [[nodiscard]] std::string fault_of(const FittedColumn& column, std::size_t position, std::size_t rows,
                                     std::size_t missing) const;
  [[nodiscard]] bool numbers_the_rows(const Column& column) const;
  void note_date(const ColumnEncoding& encoding, const Column& column);
  bool leaves_out(const std::string& name, std::size_t position, const std::string& fault);

  const Table& table_;
  const PreprocessOptions& options_;
  Communicator& processes_;
  std::size_t inputs_ = 0;
  std::vector<std::string> left_out_;
  std::vector<std::string> dates_;
  std::vector<std::string> constant_targets_;
  std::vector<std::string> filled_;  // "age 12": columns with missing values and how many
};

}  // namespace strata
