#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/data/dataset.h"
#include "strata/data/dates.h"
#include "strata/data/scale.h"
#include "strata/data/table.h"
#include "strata/parallel/communicator.h"

namespace strata {

enum class UnseenPolicy {
  refuse,  // a category that did not occur in training is an error that names line and column
  zeros,   // it is encoded as another one; its features are all zeros
};
constexpr auto names_of(UnseenPolicy) { return std::to_array<std::string_view>({"refuse", "zeros"}); }

// How one raw column becomes columns of a data set. A numeric one is scaled; a categorical one becomes codes, which are not
// scaled. A date becomes its year, scaled, and sine and cosine of month, day, weekday and hour, as far as they differ
// between the training rows.
struct ColumnEncoding {
  std::string name = {};
  ColumnType raw = ColumnType::numeric;      // how the cells are read
  ColumnType encoded = ColumnType::numeric;  // differs from raw where the user said so
  Scale scale;                               // numeric, and of a date's year
  double fill_number = 0;                    // the mean of the training rows
  std::vector<std::string> categories = {};  // categorical: those of the training rows
  std::int32_t fill_category = 0;            // categorical: the most frequent one
  bool indicator = false;                    // a further 0/1 column: was the value missing?
  DateOrder order = DateOrder::day_first;    // date
  std::vector<DatePart> parts = {};          // date: those that become features
  std::string unit = {};                     // beside every number in the file
  // Categorical target of a classification: one column, the codes 0, 1, ... of the categories.
  bool classes = false;

  [[nodiscard]] std::vector<InputColumn> columns() const;
  [[nodiscard]] std::size_t features() const;                   // that the columns are expanded to
  [[nodiscard]] std::vector<std::string> column_names() const;  // "age", "colour", "day sine"
  // Of what the columns are expanded to: "age", "age is missing", "colour=red".
  [[nodiscard]] std::vector<std::string> feature_names() const;
  friend bool operator==(const ColumnEncoding&, const ColumnEncoding&) = default;
};

// The column of a table as numbers (text is parsed, and refused with its line where it is no number) or as
// categories (numbers become text, in numerical order).
Column as_numeric(const Table& table, std::size_t column);
Column as_nominal(const Column& column, Communicator& processes = single_process());

struct FittedColumn {
  ColumnEncoding encoding;
  std::size_t values = 0;  // that occur; of numbers and dates at most 2 are counted
};

// What the rows say of the column, each as often as its weight in the table says. Categories are those that occur in
// them; rows of weight 0 have no say.
// Processes that share a table call it together, each with its own rows, and get the same answer.
FittedColumn fit_encoding(const Table& table, std::size_t column, ColumnType encoded, Scaling scaling,
                          std::span<const std::size_t> rows, Communicator& processes = single_process());

// Writes the given rows of a column, as columns() of the encoding say: a row of `out` for each of those.
void encode_column(const ColumnEncoding& encoding, const Table& table, std::size_t column,
                   std::span<const std::size_t> rows, UnseenPolicy unseen, Matrix out);

}  // namespace strata
