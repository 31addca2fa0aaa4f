#include "data/cell_grid.h"

#include <algorithm>

#include "kernels/bytes.h"

namespace strata {

// As places after the ends of others, in parts, so that there is little room for more cells than there are.
void CellGrid::find_starts(std::size_t bytes, char separator) {
  constexpr std::size_t bytes_at_once = std::size_t{1} << 12U;
  constexpr std::size_t most_at_once = bytes_at_once + 8;
  std::size_t count = 1;
  starts_.resize(std::max(starts_.size(), count));
  starts_[0] = 0;
  for (std::size_t begin = 0; begin < bytes; begin += bytes_at_once) {
    if (starts_.size() < count + most_at_once)
      starts_.resize(std::max(2 * starts_.size(), count + most_at_once));
    const std::size_t words = (std::min(bytes_at_once, bytes - begin) + 63) / 64;
    const std::uint32_t* const end = simd_bytes().places_after(
        begin_ + begin, words, separator, '\n', static_cast<std::uint32_t>(begin), starts_.data() + count);
    count = static_cast<std::size_t>(end - starts_.data());
  }
  while (starts_[count - 1] > bytes) --count;  // newlines behind the text
  cells_ = count - 1;
}

bool CellGrid::find(const Text& text, const PieceFacts& facts, const Dialect& dialect, std::size_t columns) {
  const auto size = static_cast<std::size_t>(text.end() - text.begin());
  // Blanks between cells are no cells, and a line with one cell may be blank, which is no row.
  if (facts.quotes || dialect.blanks() || dialect.comment != '\0' || columns < 2 || size == 0) return false;
  begin_ = text.begin();
  columns_ = columns;
  // A last row without a line end is ended by the first of those behind the text.
  const std::size_t unended = text.end()[-1] == '\n' ? 0 : 1;
  find_starts(size + unended, dialect.separator);
  rows_ = facts.lines + unended;
  if (rows_ * columns != cells_) return false;
  // As many lines as rows: no other cell ends one.
  for (std::size_t row = 1; row <= rows_; ++row)
    if (begin_[starts_[row * columns] - 1] != '\n') return false;
  return true;
}

}  // namespace strata
