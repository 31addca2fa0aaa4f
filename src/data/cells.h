#pragma once

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "data/decimal.h"
#include "data/dialect.h"
#include "data/text.h"
#include "strata/core/errors.h"

namespace strata {

// Walks over the cells of a text, record by record. Cells are views into the text; only a cell with escaped
// quotes is copied (into a buffer that lives until the next cell).
class CellReader {
 public:
  static constexpr std::size_t longest_cell = std::size_t{1} << 20U;

  CellReader(const Text& text, Dialect dialect) : CellReader(text, text.begin(), 1, dialect) {}
  CellReader(const Text& text, const char* from, std::size_t line, Dialect dialect)
      : text_(&text), at_(from), end_(text.end()), line_(line), dialect_(dialect) {}

  bool
  next_record();  // moves to the next line that is neither blank nor a comment; false at the end of the text
  [[nodiscard]] bool has_cell() const { return has_cell_; }
  [[nodiscard]] std::size_t record_line() const { return record_line_; }  // where the record starts
  [[nodiscard]] std::size_t line() const { return line_; }                // where the reader is
  // After the last cell of a text that ends without a newline the reader itself stands one further.
  [[nodiscard]] const char* position() const { return std::min(at_, end_); }

  // The fast path: when the cell is a bare number (or nan), takes it. Nothing moves when it is not.
  bool take_number(double& value) {
    if (dialect_.decimal == dialect_.separator) return false;  // it may go on in the next cell
    const char* from = at_;
    while (*from == ' ') ++from;
    const char* to = read_decimal(from, dialect_.decimal, value);
    if (to == nullptr) {
      const auto parsed = fast_float::from_chars_advanced(
          from, end_, value, fast_float::parse_options(fast_float::chars_format::general, dialect_.decimal));
      if (parsed.ec != std::errc()) return false;
      to = parsed.ptr;
    }
    if (!ends_cell(*to) || (*to == '\r' && to[1] != '\n')) return false;
    finish(to);
    return true;
  }

  std::string_view take_text();  // any cell, without quotes and outer blanks

 private:
  [[nodiscard]] bool ends_cell(char c) const { return dialect_.separates(c) || c == '\n' || c == '\r'; }
  [[nodiscard]] bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != dialect_.separator; }
  [[nodiscard]] bool skips_line() const;
  void finish(const char* cell_end) {
    if (dialect_.separates(*cell_end)) {
      at_ = cell_end + 1;
      if (!dialect_.blanks()) return;
      while (dialect_.separates(*at_)) ++at_;
      if (*at_ != '\n' && (*at_ != '\r' || at_[1] != '\n')) return;
      cell_end = at_;  // blanks at the end of a line separate nothing
    }
    if (*cell_end == '\r') ++cell_end;
    at_ = cell_end + 1;
    ++line_;
    has_cell_ = false;
  }
  std::string_view take_quoted();
  std::string_view take_bare();
  void refuse_long(std::size_t length) const;

  const Text* text_;
  const char* at_;
  const char* end_;
  std::size_t line_;
  std::size_t record_line_ = 0;
  Dialect dialect_;
  bool has_cell_ = false;
  std::string unescaped_;
};

}  // namespace strata
