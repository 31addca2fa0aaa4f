#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "strata/data/read.h"
#include "strata/data/write.h"
#include "support/files.h"

namespace strata {
namespace {

using support::gzipped;
using support::refusal;
using support::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const ReadOptions options{.numeric = {"x", "y"}, .nominal = {"kind"}, .listed_only = true};

// Every row as text, with its line, however the text is divided.
std::vector<std::string> rows_of(const std::string& text, std::size_t at_once,
                                 const ReadOptions& how = options) {
  std::istringstream in(text);
  const auto reader = open_table(in, "rows.csv", how);
  std::vector<std::string> rows;
  for (;;) {
    const Table piece = reader->next(at_once);
    if (piece.rows() == 0) return rows;
    EXPECT_LE(piece.rows(), at_once);
    for (std::size_t row = 0; row < piece.rows(); ++row) {
      std::string line = std::to_string(piece.lines[row]) + ':';
      for (const Column& column : piece.columns) line += ' ' + column.name + '=' + column.text(row);
      rows.push_back(line);
    }
  }
}

std::string problem(const std::string& text, std::size_t at_once = 2, const ReadOptions& how = options) {
  return refusal<DataError>([&] { rows_of(text, at_once, how); });
}

TEST(TableReader, GivesTheSameRowsAndLinesForEveryPieceSize) {
  const std::string text =
      "\xef\xbb\xbfx,note,kind,y\n1,\"a \"\"quoted\"\" note\nover, three\n lines\",red,2\r\n\n  \n"
      "3,no \"quote\n\" here\",\"bl\nue\",4\n5,,NA,?\n6,\"\",red,7";
  for (const std::size_t at_once : {1, 2, 3, 7, 1000}) {
    EXPECT_THAT(problem(text, at_once), HasSubstr("rows.csv, line 7: the row has 2 cells"));
  }
  std::string right = text;
  right.erase(right.find("3,no"), std::string("3,no \"quote\n\" here\",\"bl\nue\",4\n").size());
  for (const std::size_t at_once : {1, 2, 3, 7, 1000})
    EXPECT_THAT(rows_of(right, at_once),
                ElementsAre("2: x=1 kind=red y=2", "7: x=5 kind=? y=?", "8: x=6 kind=red y=7"));
}

TEST(TableReader, AgreesWithTheReaderOfWholeFiles) {
  std::string text = "kind;x;y\n";
  for (int row = 0; row < 5000; ++row)
    text += (row % 3 == 0 ? "\"a\n" + std::to_string(row % 7) + "\";" : "b;") + std::to_string(row) + ".5; " +
            std::to_string(-row) + "\n";
  const Table whole = parse_csv(text, "rows.csv", options);
  const std::vector<std::string> pieces = rows_of(text, 13);
  ASSERT_EQ(pieces.size(), whole.rows());
  for (std::size_t row = 0; row < whole.rows(); ++row)
    EXPECT_EQ(pieces[row], std::to_string(whole.lines[row]) + ": kind=" + whole.columns[0].text(row) +
                               " x=" + whole.columns[1].text(row) + " y=" + whole.columns[2].text(row));
}

TEST(TableReader, CrossesTheBlocksInWhichItReads) {
  const std::string wide(300000, 'w');
  std::string text = "note,x,kind,y\n";
  for (int row = 0; row < 20; ++row) text += '"' + wide + "\n\"\"\"," + std::to_string(row) + ",k,0\n";
  for (const std::size_t at_once : {1, 7, 100}) {
    const std::vector<std::string> rows = rows_of(text, at_once);
    ASSERT_EQ(rows.size(), 20U);
    EXPECT_EQ(rows.back(), "40: x=19 kind=k y=0");
  }
}

TEST(TableReader, TakesCarriageReturnsForLineEndsWhereThereAreNoOthers) {
  EXPECT_THAT(rows_of("x,y,kind\r1,2,a\r3,4,b\r", 1), ElementsAre("2: x=1 y=2 kind=a", "3: x=3 y=4 kind=b"));
}

TEST(TableReader, NamesColumnsByNumberWhereThereIsNoHeader) {
  EXPECT_THAT(rows_of("\n1,2\n3,4\n", 1, {.numeric = {"column2"}, .listed_only = true}),
              ElementsAre("2: column2=2", "3: column2=4"));
}

TEST(TableReader, RefusesWithTheLineAndColumnOfTheFile) {
  EXPECT_EQ(problem("x,y,kind\n1,2,a\n3,4,b\n5,six,c\n", 1),
            problem("x,y,kind\n1,2,a\n3,4,b\n5,six,c\n", 1000));
  EXPECT_THAT(problem("note,x,y,kind\n,1,2,a\n,3,4,b\n,5,six,c\n"),
              StartsWith("rows.csv, line 4, column 3: 'six'"));
  EXPECT_THAT(problem("x,y,kind\n1,2,a\n3,4,b\n5,1e999,c\n"), StartsWith("rows.csv, line 4, column 2: "));
  EXPECT_THAT(problem("x,y,kind\n1,2,a\n3,4,b\n5,\"6\n"),
              StartsWith("rows.csv, line 4: a quoted text begins here and never ends"));
  EXPECT_THAT(problem(std::string("x,y,kind\n1,2,a\n3,4,b\n5,\0,b\n", 27)),
              StartsWith("rows.csv, line 4: there is a NUL"));
  std::istringstream in("note,x,y,kind\n,1,2,a\n,3,4,b\n");
  const auto reader = open_table(in, "rows.csv", {.numeric = {"y"}, .listed_only = true});
  reader->next(1);
  EXPECT_STREQ(reader->next(1).refusal(0, 0, "no").what(), "rows.csv, line 3, column 3: no");
}

TEST(TableReader, RefusesWhatIsNoTableOrLacksAColumn) {
  EXPECT_THAT(problem(""), HasSubstr("the file is empty"));
  EXPECT_THAT(problem(" \n\n"), HasSubstr("the file is empty"));
  EXPECT_THAT(problem("x,y,kind\n\n"), HasSubstr("there is a header but no row"));
  EXPECT_EQ(problem("x,y,Kind\n1,2,3\n"), "rows.csv: there is no column 'kind'; did you mean 'Kind'?");
  EXPECT_THAT(problem("x,y,y,kind\n1,2,3\n"), HasSubstr("'y' is used twice"));
  EXPECT_THAT(refusal<InvalidOption>([] { rows_of("x\n1\n", 1, {}); }), HasSubstr("declare the columns"));
  EXPECT_THAT(refusal<InvalidOption>([] { rows_of("x,y,kind\n1,2,3\n", 0); }), HasSubstr("at least one row"));
}

TEST(TableReader, RefusesARowWithoutEndBeforeItFillsTheMemory) {
  const std::string text = "x,y,kind\n1,2,a\n1,2,\"" + std::string(std::size_t{80} << 20U, 'a');
  EXPECT_THAT(problem(text, 1), StartsWith("rows.csv, line 3: the row that begins here does not end"));
}

TEST(TableReader, ReadsGzippedFilesAndRefusesDamagedOnes) {
  const TemporaryDirectory directory;
  std::string text = "x,y,kind\n";
  for (int row = 0; row < 20000; ++row) text += std::to_string(row * 7919 % 10007) + ",2,a\n";
  const std::string packed = gzipped(text);
  const auto count = [](const std::filesystem::path& path) {
    const auto reader = open_table(path, options);
    std::size_t rows = 0;
    for (Table piece = reader->next(100); piece.rows() > 0; piece = reader->next(100)) rows += piece.rows();
    return rows;
  };
  EXPECT_EQ(count(directory.file("plain.csv", text)), 20000U);
  EXPECT_EQ(count(directory.file("packed.csv.gz", packed)), 20000U);
  EXPECT_EQ(count(directory.file("twice.csv.gz", packed + gzipped("1,2,a\n"))), 20001U);
  EXPECT_THAT(
      refusal<DataError>([&] { count(directory.file("cut.csv.gz", packed.substr(0, packed.size() / 2))); }),
      HasSubstr("the gzip data end too early"));
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(~damaged[packed.size() / 2]);
  EXPECT_THAT(refusal<DataError>([&] { count(directory.file("damaged.csv.gz", damaged)); }),
              HasSubstr("gzip data"));
  EXPECT_THAT(refusal<DataError>([&] { count(directory.path() / "none.csv"); }),
              HasSubstr("cannot be opened"));
  EXPECT_THAT(refusal<DataError>([&] { count(directory.path()); }), HasSubstr("this is a directory"));
}

TEST(CsvCell, ReadsBackAsItself) {
  for (const std::string text :
       {"plain", "two words", "a,b", "a;b", " padded ", "say \"hi\"", "line\nbreak"}) {
    const Table table = parse_csv(csv_cell(text) + ",x\n1,2\n", "cells",
                                  {.style = {.separator = ',', .header = Header::present}});
    EXPECT_EQ(table.columns[0].name, text);
  }
  EXPECT_EQ(csv_cell("plain"), "plain");
}

}  // namespace
}  // namespace strata
