#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "data/columns.h"

namespace strata {

// Different texts, numbered as they appear. They are views into the piece.
class PieceTexts {
 public:
  void clear();
  std::int32_t find_or_add(std::string_view text, std::size_t line);

  struct Entry {
    std::string_view text;
    std::size_t line;       // of the first
    std::size_t count = 0;  // known after count()
  };
  void count();
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  // Most texts are so short that they are compared without a look at the piece.
  struct Slot {
    std::uint64_t word = 0;  // of bytes
    std::uint32_t size = 0;
    std::int32_t code = -1;  // none
    std::uint32_t count = 0;
  };
  Slot& find(std::string_view text, std::uint64_t word);
  void grow();

  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // by the hash of the text; a power of two
};

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

  void parse(const Text& text, const CellReader& reader, const std::vector<CellKind>& kinds,
             const CellRules& rules);

  [[nodiscard]] bool plain() const { return plain_; }  // false: nothing here is of use
  [[nodiscard]] const std::vector<CellKind>& kinds() const { return kinds_; }
  [[nodiscard]] const std::vector<std::size_t>& lines() const { return lines_; }
  [[nodiscard]] const Cells& column(std::size_t c) const { return columns_[c]; }

 private:
  bool parse_record(CellReader& reader, const CellRules& rules);
  static bool parse_number(CellReader& reader, const CellRules& rules, double& value);
  std::string_view lasting(std::string_view cell);

  const Text* text_ = nullptr;

  std::vector<CellKind> kinds_;
  std::vector<Cells> columns_;
  std::vector<std::size_t> lines_;
  std::deque<std::string> copies_;  // of texts with doubled quotes, which do not stand in the piece like that
  bool plain_ = false;
};

}  // namespace strata
