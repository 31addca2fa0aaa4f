#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strata/data/read.h"
#include "strata/data/table.h"

namespace strata {

// Reads a CSV text of any length in pieces of rows, as read_csv reads the whole: the same cells, refusals and line
// numbers, however the text is divided. The type of a column must be known before its last cell is seen, so the tables
// have only the columns that the options declare numeric or nominal; a declared column that the text does not have is
// refused, other columns are passed over. `name` stands for the file in messages.
class CsvReader {
 public:
  CsvReader(std::istream& in, std::string name, const ReadOptions& options);
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  [[nodiscard]] const std::vector<std::string>& names() const;  // of all columns, in the order of the text
  Table next(std::size_t rows);  // at least one row, at most this many; none when the text has ended

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A text as a cell: in quotes where a reader would misunderstand it.
std::string csv_cell(std::string_view text);

}  // namespace strata
