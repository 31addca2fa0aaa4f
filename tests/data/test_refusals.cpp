// Every kind of bad input, and the one sentence it is answered with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "strata/data/preprocess.h"
#include "strata/data/read.h"
#include "support/files.h"

namespace strata {
namespace {

using namespace std::string_literals;
using support::gzipped;
using support::refusal;
using support::TemporaryDirectory;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class Refusals : public ::testing::Test {
 protected:
  std::string refused(std::string_view text, const ReadOptions& options = {},
                      const std::string& name = "t.csv") const {
    const auto path = directory.file(name, text);
    return refusal<DataError>([&] { static_cast<void>(read_table(path, options)); });
  }
  TemporaryDirectory directory;
};

TEST_F(Refusals, ARaggedRowIsNamedByItsLine) {
  EXPECT_THAT(
      refused("a,b,c\n1,2,3\n\n1,2\n"),
      HasSubstr("t.csv, line 4: the row has 2 cells where the table has 3 columns; add or remove cells"));
  EXPECT_THAT(refused("a,b\n1,2\n1,2,3\n"),
              HasSubstr("t.csv, line 3: the row has 3 cells where the table has 2"));
  EXPECT_THAT(refused("a,b\n\"x\ny\",2\n1\n"), HasSubstr("t.csv, line 4: the row has 1 cell where"));
}

TEST_F(Refusals, TextInANumericColumnIsNamedByLineColumnAndValue) {
  EXPECT_THAT(
      refused("a,b\n1,2\n3,four\n", {.numeric = {"b"}}),
      HasSubstr(
          "t.csv, line 3, column 2: 'four' is not a number, and column 'b' is numeric; correct the value"));
}

TEST_F(Refusals, AStrayTextAmongNumbersIsNotTakenForACategory) {
  std::string text = "a,b\n";
  for (int i = 0; i < 30; ++i) text += "1," + (i == 17 ? "1O"s : std::to_string(i)) + "\n";
  EXPECT_THAT(refused(text),
              HasSubstr("t.csv, line 19, column 2: '1O' is not a number, and column 'b' otherwise"));
  std::string first = "a,b\nx,oops\n";
  for (int i = 0; i < 30; ++i) first += "x," + std::to_string(i) + "\n";
  EXPECT_THAT(refused(first), HasSubstr("t.csv, line 2, column 2: 'oops' is not a number"));
  EXPECT_EQ(read_table(directory.file("ok.csv", text), {.nominal = {"b"}}).columns[1].type,
            ColumnType::nominal);
}

TEST_F(Refusals, AnInfiniteNumberIsNamedByLineAndColumn) {
  EXPECT_THAT(refused("a,b\n1,2\n1,inf\n"),
              HasSubstr("t.csv, line 3, column 2: a number in column 'b' is infinite"));
}

TEST_F(Refusals, AnEmptyFileAndALoneHeaderHaveNoRows) {
  EXPECT_THAT(refused(""), EndsWith("t.csv: the file is empty; a table needs rows"));
  EXPECT_THAT(refused(" \r\n\n"), EndsWith("t.csv: the file is empty; a table needs rows"));
  EXPECT_THAT(refused("\xef\xbb\xbf"), EndsWith("t.csv: the file is empty; a table needs rows"));
  // Without a newline the reader stands behind the end of the text.
  for (const char* const header : {"a,b\n", "a,b", "a", "\"a\"", "a,", "a\r\n", "a\r"})
    EXPECT_THAT(refused(header), EndsWith("t.csv: there is a header but no row; a table needs rows"));
}

TEST_F(Refusals, ANulByteIsNamedByItsLine) {
  EXPECT_THAT(refused("a,b\n1,\0\n"s),
              HasSubstr("t.csv, line 2: there is a NUL byte, so this is no plain text"));
}

TEST_F(Refusals, DuplicateColumnNamesAreNamed) {
  EXPECT_THAT(refused("a,b,a\n1,2,3\n"),
              HasSubstr("t.csv, line 1, column 3: the column name 'a' is used twice"));
}

TEST_F(Refusals, AnUnterminatedQuoteIsNamedByTheLineWhereItBegins) {
  EXPECT_THAT(refused("a,b\n1,\"x\n2,3\n4,5\n"),
              HasSubstr("t.csv, line 2: a quoted text begins here and never ends; close the quote"));
  EXPECT_THAT(refused("a,b\n1,\"x\"y\n"), HasSubstr("t.csv, line 2: text follows a closing quote"));
}

TEST_F(Refusals, FilesThatCannotBeReadSayWhy) {
  const auto said = [](const std::filesystem::path& path) {
    return refusal<DataError>([&] { static_cast<void>(read_table(path)); });
  };
  EXPECT_THAT(said(directory.path()), HasSubstr("this is a directory; name a file in it"));
  EXPECT_THAT(said(directory.path() / "none.csv"),
              HasSubstr("none.csv: the file cannot be opened (No such file"));
  EXPECT_THAT(said(directory.path() / "none"), HasSubstr("none: the file cannot be opened (No such file"));
  EXPECT_THAT(said(directory.file("t.doc", "x")), HasSubstr("t.doc: the extension is not known; use .csv"));
}

TEST_F(Refusals, AnUnreadableFileSaysWhy) {
  // The superuser may open everything; the kernel's view of a process's memory still cannot be read from its start.
  const bool root = ::geteuid() == 0;
  if (root && !std::filesystem::exists("/proc/self/mem"))
    GTEST_SKIP() << "no unreadable file can be made here";
  const auto locked = directory.file("locked.csv", "a\n1\n");
  std::filesystem::permissions(locked, std::filesystem::perms::none);
  const auto memory = directory.path() / "memory.csv";
  std::filesystem::create_symlink("/proc/self/mem", memory);
  const std::string said = refusal<DataError>([&] { static_cast<void>(read_table(root ? memory : locked)); });
  EXPECT_THAT(
      said, HasSubstr(root ? "cannot be read (Input/output error)" : "cannot be opened (Permission denied)"));
}

TEST_F(Refusals, CorruptAndCutGzipDataAreRefused) {
  std::string text = "a,b\n";
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 7919) + "," + std::to_string(i) + "\n";
  const std::string packed = gzipped(text);
  std::string broken = packed;
  for (std::size_t i = 200; i < 230; ++i) broken[i] = static_cast<char>(~broken[i]);
  EXPECT_THAT(refused(broken, {}, "t.csv.gz"), HasSubstr("t.csv.gz: the gzip data are corrupt ("));
  EXPECT_THAT(refused(packed.substr(0, packed.size() / 2), {}, "t.csv.gz"),
              HasSubstr("the gzip data end too early"));
  EXPECT_THAT(refused(packed.substr(0, 2), {}, "t.csv.gz"), HasSubstr("the gzip data end too early"));
  std::string checksum = packed;
  checksum[checksum.size() - 6] = static_cast<char>(~checksum[checksum.size() - 6]);
  EXPECT_THAT(refused(checksum, {}, "t.csv.gz"), HasSubstr("the gzip data are corrupt ("));
}

TEST_F(Refusals, OptionsThatDoNotFitTheFileAreNamed) {
  const auto said = [](const ReadOptions& options) {
    return refusal<InvalidOption>([&] { static_cast<void>(parse_csv("price,b\n1,2\n", "t.csv", options)); });
  };
  EXPECT_EQ(said({.numeric = {"prise"}}),
            "option 'numeric' = 'prise': there is no such column; did you mean 'price'?");
  EXPECT_THAT(said({.numeric = {"b"}, .nominal = {"b"}}), HasSubstr("also declared categorical"));
  EXPECT_EQ(said({.style = {.separator = 'x'}}),
            "option 'separator' = 'x': use a comma, a semicolon, a tab, a vertical bar or a blank");
}

class FitRefusals : public ::testing::Test {
 protected:
  static std::string refused(const std::string& text, const PreprocessOptions& options) {
    const Table table = parse_csv(text, "t.csv");
    return refusal<Error>([&] { static_cast<void>(Preprocessor::fit(table, options)); });
  }
};

TEST_F(FitRefusals, AnUnknownTargetIsAnsweredWithTheNearestName) {
  EXPECT_EQ(refused("area,price\n1,2\n3,4\n", {.targets = {"Prise"}}),
            "option 'target' = 'Prise': t.csv has no such column; did you mean 'price'?");
  EXPECT_EQ(refused("area,price\n1,2\n3,4\n", {.targets = {"zzzzzz"}}),
            "option 'target' = 'zzzzzz': t.csv has no such column; there are: area, price");
  EXPECT_THAT(refused("area,price\n1,2\n3,4\n", {}),
              HasSubstr("t.csv: name the column to predict by --target; there are: area, price"));
}

TEST_F(FitRefusals, StrictNamesAnEmptyColumnAndAConstantTargetWithoutALine) {
  PreprocessOptions options{.targets = {"y"}};
  make_strict(options);
  EXPECT_EQ(refused("a,empty,y\n1,,2\n3,,4\n", options),
            "t.csv, column 2: column 'empty' has no value; leave it out by --ignore empty");
  EXPECT_EQ(refused("a,y\n1,5\n3,5\n", options),
            "t.csv, column 2: the target 'y' is 5 in every row to train on; choose a column to predict that "
            "differs");
}

TEST_F(FitRefusals, ATableWithoutInputsHasNoUsableColumn) {
  EXPECT_THAT(refused("y\n1\n2\n", {.targets = {"y"}}),
              HasSubstr("t.csv: there is no usable column beside the target"));
  EXPECT_THAT(refused("a,y\n1,2\n2,3\n", {.targets = {"y"}, .ignore = {"a"}}), HasSubstr("no usable column"));
}

TEST_F(FitRefusals, OneRowIsTooFewToTrainOn) {
  EXPECT_EQ(refused("a,y\n1,2\n", {.targets = {"y"}}),
            "t.csv: there is one complete row to train on; at least two are needed");
  EXPECT_EQ(refused("a,y\n,2\n3,\n", {.targets = {"y"}, .missing = MissingPolicy::drop}),
            "t.csv: there are no complete rows to train on; at least two are needed");
}

TEST_F(FitRefusals, ContradictoryOptionsAreNamed) {
  const std::string text = "a,b,y\n1,2,3\n4,5,6\n";
  EXPECT_THAT(refused(text, {.targets = {"y"}, .ignore = {"y"}}),
              HasSubstr("'ignore' = 'y': the column is a target"));
  EXPECT_THAT(refused(text, {.targets = {"y", "y"}}), HasSubstr("'target' = 'y': the column is named twice"));
  EXPECT_THAT(refused(text, {.targets = {"y"}, .categorical = {"a"}, .numeric = {"a"}}),
              HasSubstr("also categorical"));
  EXPECT_THAT(refused(text, {.targets = {"y"}, .categorical = {"c"}}), HasSubstr("'categorical' = 'c'"));
}

TEST_F(FitRefusals, AColumnOfNamesIsNotOneHotEncoded) {
  std::string text = "who,y\n";
  for (int i = 0; i < 300; ++i) text += "name" + std::to_string(i) + "," + std::to_string(i) + "\n";
  EXPECT_THAT(
      refused(text, {.targets = {"y"}}),
      HasSubstr(
          "t.csv, column 1: column 'who' has 300 categories, more than 256 (--max-categories 300 keeps it)"));
}

}  // namespace
}  // namespace strata
