// Pieces whose cells are found all at once, against the same pieces read cell by cell.
#include "data/parsed_piece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "strata/core/random.h"

namespace strata {
namespace {

using testing::ElementsAre;

constexpr Dialect csv{};

PieceFacts facts_of(const std::string& text) {
  return {.line = 7, .lines = static_cast<std::size_t>(std::ranges::count(text, '\n'))};
}

// What the builder of a table sees of a piece.
std::string seen(const std::string& text, const PieceFacts& facts, const Dialect& dialect,
                 const std::vector<CellKind>& kinds) {
  const Text bytes = Text::piece("t.csv", text, facts.line);
  ParsedPiece piece;
  piece.parse(bytes, facts, dialect, kinds, CellRules(TextStyle{.missing = {{"NA", "-999"}}}));
  if (!piece.plain()) return "not plain";
  std::string all;
  for (const std::size_t line : piece.lines()) all += std::to_string(line) + ' ';
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    const ParsedPiece::Cells& cells = piece.column(c);
    all += '\n';
    for (const double number : cells.numbers)
      all += std::to_string(std::bit_cast<std::uint64_t>(number)) + ' ';
    for (const std::int32_t code : cells.codes) all += std::to_string(code) + ' ';
    for (const PieceTexts::Entry& entry : cells.texts.entries())
      all.append(entry.text) += '@' + std::to_string(entry.line) + 'x' + std::to_string(entry.count) + ' ';
  }
  return all;
}

std::string cell(bool number, RandomStream& random) {
  static const std::vector<std::string> texts{"",
                                              "a",
                                              "a b",
                                              "NA",
                                              " x ",
                                              "\tq",
                                              "twelve bytes",
                                              "sixteen bytes ab",
                                              "seventeen bytes a",
                                              "one that is longer than these are"};
  static const std::vector<std::string> numbers{
      "",   "0",   "-0",       "5.",           ".5",  "1e3", " 2",  "3 ",   "-999", "NA", "1,5",
      "+4", "0.1", "12345678", "123456789.25", "inf", "nan", "007", "1.5%", "-",    "."};
  const std::vector<std::string>& some = number ? numbers : texts;
  if (!number || random.below(20) == 0) return some[random.below(some.size())];
  return std::to_string(random.normal() * 1000);
}

// Rows of cells, in which some bytes are then others.
std::string random_piece(const std::vector<CellKind>& kinds, const std::string& separator,
                         RandomStream& random) {
  std::string text;
  for (std::size_t rows = 1 + random.below(150); rows > 0; --rows) {
    for (std::size_t c = 0; c < kinds.size(); ++c)
      text += (c > 0 ? separator : "") + cell(kinds[c] == CellKind::numbers, random);
    text += random.below(3) == 0 ? "\r\n" : "\n";
  }
  if (random.below(3) == 0) text.pop_back();
  for (std::size_t changes = random.below(4) * random.below(2); changes > 0; --changes)
    text[random.below(text.size())] = "\n\r\t ,;.x1-e"[random.below(11)];
  return text;
}

TEST(ParsedPiece, CellsFoundAllAtOnceAreThoseReadOneByOne) {
  RandomStream random(1);
  std::size_t plain = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<CellKind> kinds(1 + random.below(5));
    for (CellKind& kind : kinds)
      kind = std::array{CellKind::skipped, CellKind::numbers, CellKind::texts}[random.below(3)];
    const char separator = ",;\t"[random.below(3)];
    const Dialect dialect{.separator = separator,
                          .decimal = separator == ';' && random.below(2) == 0 ? ',' : '.'};
    const std::string text = random_piece(kinds, std::string(1, separator), random);
    PieceFacts facts = facts_of(text);
    const std::string found = seen(text, facts, dialect, kinds);
    facts.quotes = true;  // there are none: it is read cell by cell all the same
    ASSERT_EQ(found, seen(text, facts, dialect, kinds)) << text;
    plain += found != "not plain" ? 1 : 0;
  }
  EXPECT_GT(plain, 300U);
}

TEST(ParsedPiece, CellsThatAreTooLongAreLeftToTheBuilder) {
  const std::vector<CellKind> kinds(2, CellKind::texts);
  const std::string longest(CellReader::longest_cell, 'x');
  for (const std::string& text : {longest + ",b\n", longest + "x,b\n"})
    EXPECT_EQ(seen(text, facts_of(text), csv, kinds) == "not plain", text.size() > longest.size() + 3);
}

TEST(CellGrid, FindsTheCellsOfAPieceWithoutQuotes) {
  CellGrid grid;
  const auto find = [&](const std::string& text, std::size_t columns) {
    return grid.find(Text::piece("t.csv", text, 1), facts_of(text), csv, columns);
  };
  const Text text = Text::piece("t.csv", "a, b\r\n,\nlast,c", 1);
  ASSERT_TRUE(grid.find(text, {.lines = 2}, csv, 2));
  std::vector<std::string_view> cells;
  for (std::size_t row = 0; row < grid.rows(); ++row)
    for (std::size_t c = 0; c < 2; ++c) cells.push_back(grid.cell(row, c));
  EXPECT_THAT(cells, ElementsAre("a", " b", "", "", "last", "c"));
  EXPECT_TRUE(find("a,b\nc,d\n", 2));
  EXPECT_FALSE(find("a,b\nc,d\n", 4));    // as many cells, in other rows
  EXPECT_FALSE(find("a,b\n\nc,d\n", 2));  // a blank line
  EXPECT_FALSE(find("a,b,c\nd\n", 2));
  EXPECT_FALSE(find("a\nb\n", 1));  // which may be blank lines
  EXPECT_FALSE(grid.find(text, {.lines = 2, .quotes = true}, csv, 2));
  EXPECT_FALSE(grid.find(text, {.lines = 2}, {.separator = ' '}, 2));
  EXPECT_FALSE(grid.find(text, {.lines = 2}, {.comment = '%'}, 2));
}

}  // namespace
}  // namespace strata
