#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/dialect.h"
#include "data/record_pieces.h"
#include "data/text.h"

namespace strata {

// Where the cells of a piece are, of one in which every separator and every line end is the end of a cell. They are found many bytes at
// a time and before any of them is read, so that the processor reads a cell while others are not done.
class CellGrid {
 public:
  // False where the piece is not like that: it has quotes or blank lines, or rows with another number of cells.
  [[nodiscard]] bool find(const Text& text, const PieceFacts& facts, const Dialect& dialect,
                          std::size_t columns);

  [[nodiscard]] std::size_t rows() const { return rows_; }

  // As it stands, with blanks around it.
  [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const {
    const std::uint32_t* const start = starts_.data() + row * columns_ + column;
    const std::size_t size = start[1] - start[0] - 1;
    const char* const from = begin_ + start[0];
    const bool carriage_return = column + 1 == columns_ && size > 0 && from[size - 1] == '\r';
    return {from, size - (carriage_return ? 1 : 0)};
  }

 private:
  void find_starts(std::size_t bytes, char separator);

  const char* begin_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t cells_ = 0;
  std::vector<std::uint32_t> starts_;  // of the cells and of what would be the next one
};

}  // namespace strata
