#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "strata/core/random.h"
#include "strata/data/read.h"
#include "support/files.h"

namespace strata {
namespace {

using support::gzipped;
using support::TemporaryDirectory;
using ::testing::ElementsAre;

Table parsed(std::string_view text, const ReadOptions& options = {}) {
  return parse_csv(text, "t.csv", options);
}

std::vector<std::string> texts(const Column& column) {
  std::vector<std::string> all;
  for (std::size_t row = 0; row < column.size(); ++row) all.push_back(column.text(row));
  return all;
}

TEST(Csv, ReadsNumbersAndCategoriesWithTheirNamesAndLines) {
  const Table table = parsed("age,colour\n30,red\n41.5,blue\n-2e3,red\n");
  EXPECT_THAT(table.names(), ElementsAre("age", "colour"));
  EXPECT_EQ(table.columns[0].type, ColumnType::numeric);
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(30, 41.5, -2000));
  EXPECT_EQ(table.columns[1].type, ColumnType::nominal);
  EXPECT_THAT(table.columns[1].categories,
              ElementsAre("blue", "red"));  // sorted, whatever the order of the rows
  EXPECT_THAT(table.columns[1].codes, ElementsAre(1, 0, 1));
  EXPECT_THAT(table.lines, ElementsAre(2, 3, 4));
}

// Numbers of up to 15 digits have a reader of their own.
TEST(Csv, ReadsTheNearestDoubleOfAnyNumberOfDigits) {
  RandomStream random(1);
  std::vector<std::string> cells{"0",
                                 "-0",
                                 "0.1",
                                 "-.5",
                                 "5.",
                                 "007",
                                 "1e3",
                                 "1.5E-7",
                                 "999999999999999",
                                 "9007199254740993",
                                 "0.000000000000001",
                                 "0.00012345678901234567",
                                 "-0.000000000000000000000000000000123456789",
                                 "1.50000000000000000000000000000000",
                                 "9007199254740993.5",
                                 "9007199254740992.000",
                                 "18446744073709551616.5",  // 2 to the 64
                                 "1234567.8901234567e-5",
                                 "0.00000000000000000000"};
  for (int digits = 1; digits <= 28; ++digits)
    for (int point = 0; point <= digits; ++point) {
      std::string cell;
      for (int d = 0; d < digits; ++d) {
        if (d == point && d > 0) cell += '.';
        cell += static_cast<char>('0' + random.below(10));
      }
      cells.push_back(random.below(2) == 0 ? cell : "-" + cell);
    }
  std::string text = "x,y\n";
  for (const std::string& cell : cells) text.append(cell).append(",1\n");
  const Table table = parsed(text);
  ASSERT_EQ(table.rows(), cells.size());
  for (std::size_t r = 0; r < cells.size(); ++r) {
    const double expected = std::strtod(cells[r].c_str(), nullptr);
    EXPECT_EQ(table.columns[0].numbers[r], expected) << cells[r];
    EXPECT_EQ(std::signbit(table.columns[0].numbers[r]), std::signbit(expected)) << cells[r];
  }
}

TEST(Csv, FindsTheEndsOfTextsOfAnyLength) {
  std::string text = "a,b\n";
  for (std::size_t size = 1; size <= 40; ++size)
    text.append(size, 'x').append(",").append(40 - size, '\x7f').append("y\n");
  const Table table = parsed(text);
  ASSERT_EQ(table.rows(), 40U);
  for (std::size_t r = 0; r < 40; ++r) {
    EXPECT_EQ(table.columns[0].text(r).size(), r + 1);
    EXPECT_EQ(table.columns[1].text(r).size(), 40 - r);
  }
}

TEST(Csv, ReadsQuotesAsRfc4180Says) {
  const Table table = parsed("\"a \"\"b\"\"\",c\r\n\"x,\ny\",\"1\"\r\n\"say \"\"hi\"\"\", 2 \r\n");
  EXPECT_THAT(table.names(), ElementsAre("a \"b\"", "c"));
  EXPECT_THAT(texts(table.columns[0]), ElementsAre("x,\ny", "say \"hi\""));
  EXPECT_THAT(table.columns[1].numbers, ElementsAre(1, 2));
  EXPECT_THAT(table.lines, ElementsAre(2, 4));  // the quoted newline counts as a line
}

TEST(Csv, EndsOfLinesAndTheByteOrderMarkDoNotMatter) {
  for (const std::string_view text : {"a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\n1,2\n3,4",
                                      "\xef\xbb\xbf"
                                      "a,b\n1,2\n3,4\n",
                                      "a,b\r1,2\r3,4\r", "\n\na,b\n\n1,2\n  \n3,4\n\n"}) {
    const Table table = parsed(text);
    EXPECT_THAT(table.names(), ElementsAre("a", "b")) << text;
    EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, 3)) << text;
    EXPECT_THAT(table.columns[1].numbers, ElementsAre(2, 4)) << text;
  }
}

TEST(Csv, DetectsTheSeparator) {
  for (const char separator : {',', ';', '\t'}) {
    const std::string s(1, separator);
    const Table table =
        parsed("a" + s + "b" + s + "c\n1" + s + "\"x,;\ty\"" + s + "2\n3" + s + "z" + s + "4\n");
    ASSERT_EQ(table.columns.size(), 3U) << separator;
    EXPECT_THAT(texts(table.columns[1]), ElementsAre("x,;\ty", "z"));
  }
  EXPECT_EQ(parsed("one\n1\n2\n").columns.size(), 1U);
  EXPECT_EQ(parsed("a,b;c\n1,2;3\n", {.style = {.separator = ','}}).columns.size(), 2U);
}

TEST(Csv, DetectsTheHeader) {
  EXPECT_THAT(parsed("1,2\n3,4\n").names(), ElementsAre("column1", "column2"));
  EXPECT_EQ(parsed("1,2\n3,4\n").rows(), 2U);
  EXPECT_EQ(parsed("1,2\n3,4\n", {.style = {.header = Header::present}}).rows(), 1U);
  EXPECT_THAT(parsed("1,2\n3,4\n", {.style = {.header = Header::present}}).names(), ElementsAre("1", "2"));
  EXPECT_EQ(parsed("red,blue\ngreen,red\n", {.style = {.header = Header::absent}}).rows(), 2U);
  EXPECT_THAT(parsed(",a\n0,1\n").names(), ElementsAre("column1", "a"));  // a nameless index column
}

TEST(Csv, KnowsTheWordsForMissing) {
  const Table table = parsed("a,b\n1,x\n,\nNA,na\n?,\"?\"\nnan,NaN\n2,y\n");
  EXPECT_EQ(table.columns[0].type, ColumnType::numeric);
  for (std::size_t row = 1; row <= 4; ++row) {
    EXPECT_TRUE(table.columns[0].is_missing(row)) << row;
    EXPECT_TRUE(table.columns[1].is_missing(row)) << row;
  }
  EXPECT_FALSE(table.columns[0].is_missing(5));
  EXPECT_EQ(table.columns[1].text(5), "y");
}

TEST(Csv, TextAfterNumbersMakesTheWholeColumnNominal) {
  const Table table = parsed("code,n\n007,1\n12,2\nB4,3\n,4\nB4,5\n");
  EXPECT_EQ(table.columns[0].type, ColumnType::nominal);
  EXPECT_THAT(texts(table.columns[0]), ElementsAre("007", "12", "B4", "?", "B4"));
  EXPECT_THAT(table.columns[1].numbers, ElementsAre(1, 2, 3, 4, 5));
}

TEST(Csv, TextAfterMissingCellsKeepsThemMissing) {
  const Table table = parsed("a,b\n,1\nNA,2\nx,3\n");
  EXPECT_THAT(texts(table.columns[0]), ElementsAre("?", "?", "x"));
}

TEST(Csv, DeclaredTypesWinOverTheCells) {
  const Table table = parsed("zip,n\n01,1\n02,\n", {.numeric = {"n"}, .nominal = {"zip"}});
  EXPECT_THAT(texts(table.columns[0]), ElementsAre("01", "02"));
  EXPECT_EQ(table.columns[1].type, ColumnType::numeric);
}

TEST(Csv, NumbersKeepEveryBit) {
  RandomStream stream(5);
  std::string text = "a\n";
  std::vector<double> expected;
  for (int i = 0; i < 2000; ++i) {
    const double value = std::ldexp(stream.uniform(-1, 1), static_cast<int>(stream.below(600)) - 300);
    expected.push_back(value);
    char digits[40];
    std::snprintf(digits, sizeof digits, "%s%.17g\n", value >= 0 && i % 3 == 0 ? "+" : "", value);
    text += digits;
  }
  EXPECT_EQ(parsed(text).columns[0].numbers, expected);
}

TEST(Csv, GzippedFilesReadLikePlainOnes) {
  const TemporaryDirectory directory;
  std::string text = "a,b\n";
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + ",7\n";
  const Table plain = read_table(directory.file("t.csv", text));
  const Table packed = read_table(directory.file("t.csv.gz", gzipped(text)));
  EXPECT_EQ(plain.rows(), 20000U);
  EXPECT_EQ(packed.columns[0].numbers, plain.columns[0].numbers);
  const Table joined = read_table(directory.file("two.csv.gz", gzipped("a,b\n1,2\n") + gzipped("3,4\n")));
  EXPECT_THAT(joined.columns[0].numbers, ElementsAre(1, 3));
}

// Random tables: whatever the quoting, separator and line ends, what was written is read back.
struct RandomCsv {
  struct Cell {
    std::string text;
    bool missing = false;
  };

  std::string word() {
    static const std::vector<std::string> pieces{"a",  "B",  "7",    " ", ",", ";", "\t",
                                                 "\n", "\"", "\r\n", "'", "ä", "x"};
    std::string text = "w";  // neither blank at the ends nor a number nor a word for missing
    for (std::size_t n = stream.below(6); n > 0; --n) text += pieces[stream.below(pieces.size())];
    return text + "w";
  }
  Cell cell(bool numeric) {
    if (stream.below(8) == 0) return {stream.below(2) == 0 ? "NA" : "", true};
    if (!numeric) return {word()};
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", stream.normal() * 100);
    return {digits};
  }
  std::string written(const std::string& text) {
    const bool must = text.find_first_of(",;\t\n\r\"") != std::string::npos;
    if (!must && stream.below(3) != 0) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
  }

  void write_and_read_back();

  RandomStream stream;
};

void RandomCsv::write_and_read_back() {
  const std::size_t columns = 2 + stream.below(5);
  const std::size_t rows = 2 + stream.below(30);
  const std::string separator(1, std::string(",;\t")[stream.below(3)]);
  const std::string line_end = stream.below(2) == 0 ? "\n" : "\r\n";
  std::vector<bool> numeric;
  std::string text;
  for (std::size_t c = 0; c < columns; ++c) {
    numeric.push_back(stream.below(2) == 0);
    text += (c > 0 ? separator : "") + written("name" + std::to_string(c));
  }
  std::vector<std::vector<Cell>> cells(rows);
  for (auto& row : cells) {
    text += line_end;
    for (std::size_t c = 0; c < columns; ++c) {
      row.push_back(cell(numeric[c]));
      text += (c > 0 ? separator : "") + written(row.back().text);
    }
  }
  if (stream.below(2) == 0) text += line_end;

  const Table table = parsed(text, {.style = {.separator = separator[0], .decimal = '.'}});
  ASSERT_EQ(table.rows(), rows) << text;
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t r = 0; r < rows; ++r) {
      ASSERT_EQ(table.columns[c].is_missing(r), cells[r][c].missing) << text;
      if (cells[r][c].missing) continue;
      if (numeric[c])
        ASSERT_EQ(table.columns[c].numbers[r], std::strtod(cells[r][c].text.c_str(), nullptr));
      else
        ASSERT_EQ(table.columns[c].text(r), cells[r][c].text) << text;
    }
}

TEST(Csv, RandomTablesAreReadBackAsTheyWereWritten) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(RandomCsv{RandomStream(seed)}.write_and_read_back());
  }
}

}  // namespace
}  // namespace strata
