#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "data/cell_grid.h"
#include "data/columns.h"
#include "data/piece_texts.h"
#include "data/record_pieces.h"

namespace strata {

// What a column is taken for while a piece is parsed.
enum class CellKind { skipped, numbers, texts };

// The cells of one piece, parsed apart from the others, by any thread. What needs more than one look, such as a text among
// numbers, is left to the builder, which then reads the piece itself.
class ParsedPiece {
 public:
  struct Cells {
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;  // of `texts`
    PieceTexts texts;
  };

  void parse(const Text& text, const PieceFacts& facts, const Dialect& dialect,
             const std::vector<CellKind>& kinds, const CellRules& rules);

  [[nodiscard]] bool plain() const { return plain_; }  // false: nothing here is of use
  [[nodiscard]] const std::vector<CellKind>& kinds() const { return kinds_; }
  [[nodiscard]] const std::vector<std::size_t>& lines() const { return lines_; }
  [[nodiscard]] const Cells& column(std::size_t c) const { return columns_[c]; }

 private:
  bool parse_grid(const CellRules& rules);
  bool parse_numbers(std::size_t c, std::size_t begin, std::size_t end, const CellRules& rules);
  bool parse_texts(std::size_t c, std::size_t begin, std::size_t end);
  bool parse_records(const CellRules& rules);
  bool parse_record(CellReader& reader, const CellRules& rules);
  static bool parse_number(CellReader& reader, const CellRules& rules, double& value);
  std::string_view lasting(std::string_view cell);

  const Text* text_ = nullptr;
  std::size_t first_line_ = 0;
  Dialect dialect_;
  CellGrid grid_;
  std::vector<CellKind> kinds_;
  std::vector<Cells> columns_;
  std::vector<std::size_t> lines_;
  std::deque<std::string> copies_;  // of texts with doubled quotes, which do not stand in the piece like that
  bool plain_ = false;
};

}  // namespace strata
