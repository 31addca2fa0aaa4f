// Tables as people have them: other separators, decimal commas, units, years as names, other encodings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "strata/data/preprocess.h"
#include "strata/data/read.h"
#include "support/files.h"

namespace strata {
namespace {

using namespace std::string_literals;
using support::gzipped;
using support::refusal;
using support::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Table parsed(std::string_view text, const TextStyle& style = {}) {
  return parse_csv(text, "t.csv", {.style = style});
}

std::string refused(std::string_view text, const TextStyle& style = {}) {
  return refusal<Error>([&] { static_cast<void>(parsed(text, style)); });
}

TEST(TextStyle, BarsAndRunsOfBlanksSeparateCells) {
  EXPECT_THAT(parsed("a|b|c\n1|x y|2\n3|z|4\n").names(), ElementsAre("a", "b", "c"));
  const Table blanks = parsed("  a   b\tc  \n 1  2 3\n10 20\t 30 \r\n 'x y' 5 6\n", {.quote = '\''});
  EXPECT_THAT(blanks.names(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(blanks.columns[1].numbers, ElementsAre(2, 20, 5));
  EXPECT_EQ(blanks.columns[0].text(2), "x y");
  EXPECT_THAT(parsed("1 2\n3 4\n").columns[1].numbers, ElementsAre(2, 4));
}

TEST(TextStyle, ADecimalCommaIsDetectedWhereItSeparatesNothing) {
  const Table table = parsed("a;b;c\n1,5;2;x\n-2,25;3;y\n1.234,5;4;z\n");
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1.5, -2.25, 1234.5));
  EXPECT_THAT(table.notices,
              ElementsAre(HasSubstr("t.csv: numbers are read with a decimal comma (--decimal .")));
  EXPECT_EQ(table.style.decimal, ',');
  EXPECT_THAT(parsed("a;b\n1.5;2\n2.5;3\n").notices, IsEmpty());
  EXPECT_THAT(parsed("a,b\n\"1,5\",2\n\"2,5\",3\n", {.decimal = ','}).columns[0].numbers,
              ElementsAre(1.5, 2.5));
  EXPECT_THAT(
      refused("a;b\n1,5;2.5\n2,5;3.5\n"),
      HasSubstr("line 2, column 1: '1,5' in column 'a' looks like a number with a decimal comma; give "
                "--decimal ,"));
}

TEST(TextStyle, GroupsOfThreeDigitsAreOneNumber) {
  EXPECT_THAT(parsed("a,b\n\"1,234\",1\n\"12,345,678.5\",2\n7,3\n").columns[0].numbers,
              ElementsAre(1234, 12345678.5, 7));
  EXPECT_THAT(parsed("a;b\n1 234;1\n12 345;2\n", {.thousands = ' '}).columns[0].numbers,
              ElementsAre(1234, 12345));
  EXPECT_EQ(parsed("a;b\n12.34.5;1\nx;2\n").columns[0].type, ColumnType::nominal);
}

TEST(TextStyle, PercentAndCurrencyAreUnderstoodWhereEveryNumberHasThem) {
  const Table table = parsed("a,b,c\n5%,$1,x\n12.5 %,\"-$1,200.50\",y\n,$0,z\n");
  EXPECT_EQ(table.columns[0].unit, "%");
  EXPECT_EQ(table.columns[0].numbers[1], 12.5);
  EXPECT_TRUE(table.columns[0].is_missing(2));
  EXPECT_EQ(table.columns[1].type, ColumnType::numeric);
}

TEST(TextStyle, MixedUnitsAreRefusedWithTheirLine) {
  EXPECT_THAT(
      refused("a,b\n5%,1\n0.05,2\n"),
      StartsWith(
          "t.csv, line 3, column 1: a number stands without the '%' that other numbers of column 'a'"));
  EXPECT_THAT(refused("a,b\n0.05,1\n5%,2\n"),
              StartsWith("t.csv, line 2, column 1: a number stands without the '%'"));
  EXPECT_THAT(refused("a,b\n$5,1\n5 EUR,2\n"), HasSubstr("line 3, column 1: '5 EUR' is a number with 'EUR'"));
  EXPECT_EQ(parsed("fat,b\n1%,1\n2%,2\nwhole,3\n").columns[0].type, ColumnType::nominal);
}

TEST(TextStyle, AHeaderOfYearsIsAHeader) {
  EXPECT_THAT(parsed("2019,2020,y\n1,2,3\n4,5,6\n").names(), ElementsAre("2019", "2020", "y"));
  EXPECT_EQ(parsed("red,1\nblue,2\n").rows(), 2U);
  EXPECT_EQ(parsed("1,2,3\n4,5,6\n").rows(), 2U);
  EXPECT_EQ(parsed("2019,2020\n1,2\n", {.header = Header::present}).rows(), 1U);
}

TEST(TextStyle, CommentsBeforeTheTableAreSkippedWithANotice) {
  for (const auto& [text, comments] : std::vector<std::pair<std::string, int>>{
           {"# made by a tool, version 3, in May\n#\na,b\n1,2\n3,4\n", 2},
           {"# made, today\na,b\n1,2\n3,4\n", 1},  // as many cells, but the header follows
           {"# says \"so, and no more\r\n\r\na,b\r\n1,2\r\n3,4\r\n", 1},
           {"sep=,\n# three, cells, here\na,b\n1,2\n3,4\n", 1},
           {"# three, cells, here\n# a,b\n1,2\n3,4\n", 1},
           {"# numpy.savetxt\n# a b\n1 2\n3 4\n", 1}}) {
    const Table table = parsed(text);
    EXPECT_THAT(table.names(), ElementsAre("a", "b")) << text;
    EXPECT_THAT(table.columns[1].numbers, ElementsAre(2, 4)) << text;
    EXPECT_THAT(table.notices,
                ElementsAre("t.csv: lines with # before the table are skipped: " + std::to_string(comments)));
  }
  EXPECT_THAT(refused("# by a tool\na,b\n1,2\n3,4,5\n"), StartsWith("t.csv, line 4: the row has 3 cells"));
}

TEST(TextStyle, AFirstLineThatNamesNoSeparatorIsRefusedAsPartOfTheFile) {
  EXPECT_EQ(refused("sep=c\na,b\n1,2\n"),
            "t.csv, line 1: 'sep=c' names no separator that can be read; use a comma, a semicolon, a tab, a "
            "vertical bar or a blank, or give --separator");
  EXPECT_EQ(parsed("sep=c\na,b\n1,2\n", {.separator = ','}).rows(), 1U);
}

TEST(TextStyle, AHeaderOrRowsWithAHashAreNoComments) {
  EXPECT_THAT(parsed("#id,b\n1,2\n").names(), ElementsAre("#id", "b"));
  EXPECT_THAT(parsed("#,b\n1,2\n").names(), ElementsAre("#", "b"));
  EXPECT_THAT(parsed("#name,kind\nAnna,x\nBert,y\n").names(), ElementsAre("#name", "kind"));
  EXPECT_EQ(parsed("#ff0000,1\n#00ff00,2\nred,3\n").rows(), 3U);
  EXPECT_EQ(parsed("#ff0000,1\n#00ff00,2\n").rows(), 2U);
  EXPECT_THAT(parsed("#id,b\n1,2\n").notices, IsEmpty());
}

TEST(TextStyle, NamesMayBeGiven) {
  EXPECT_THAT(parsed("1,2\n3,4\n", {.names = {"a", "b"}}).names(), ElementsAre("a", "b"));
  EXPECT_THAT(parsed("x,y\n3,4\n", {.names = {"a", "b"}}).names(), ElementsAre("a", "b"));
  EXPECT_EQ(refused("1,2\n3,4\n", {.names = {"a"}}),
            "option 'names' = '1 names': the file has 2 columns; give one name for each");
}

TEST(TextStyle, MissingMarkersAreTheCommonOnesOrThoseGiven) {
  const Table table = parsed("a,b\n1,x\nNA,N/A\nn/a,null\nNULL,None\n-,-\n.,.\n?,?\nnan,nan\n,\n2,y\n");
  EXPECT_EQ(table.columns[0].type, ColumnType::numeric);
  for (std::size_t row = 1; row <= 8; ++row) {
    EXPECT_TRUE(table.columns[0].is_missing(row)) << row;
    EXPECT_TRUE(table.columns[1].is_missing(row)) << row;
  }
  const Table given =
      parsed("a,b\n-999,x\n1,-\n,unknown\n", {.missing = std::vector<std::string>{"-999", "Unknown"}});
  EXPECT_TRUE(given.columns[0].is_missing(0));
  EXPECT_EQ(given.columns[1].text(1), "-");
  EXPECT_TRUE(given.columns[1].is_missing(2));
  EXPECT_TRUE(given.columns[0].is_missing(2));
}

TEST(TextStyle, EncodingsAreDetected) {
  const std::string latin = "name,x\nM\xfcller,1\n\x80uro,2\n";
  const Table table = parsed(latin);
  EXPECT_EQ(table.columns[0].text(0), "M\u00fcller");
  EXPECT_EQ(table.columns[0].text(1), "\u20acuro");
  EXPECT_THAT(table.notices, ElementsAre(HasSubstr("read as latin-1")));
  const auto wide = [](std::string_view text, bool big, bool mark) {
    std::string bytes = mark ? (big ? "\xfe\xff" : "\xff\xfe") : "";
    for (const char c : text) {
      if (big) bytes += '\0';
      bytes += c;
      if (!big) bytes += '\0';
    }
    return bytes;
  };
  for (const bool big : {false, true})
    for (const bool mark : {false, true})
      EXPECT_THAT(parsed(wide("a,b\n1,2\n3,4\n", big, mark)).columns[1].numbers, ElementsAre(2, 4));
  EXPECT_EQ(parsed("\xff\xfe"s + "a\0\n\0\x3d\xd8\x00\xde\n\0"s).columns[0].text(0), "\U0001F600");
}

TEST(TextStyle, AByteOfAnotherEncodingFarInTheFileIsNamedByItsLine) {
  std::string text = "a,b\n";
  for (int row = 0; row < 200000; ++row) text += "1,word\n";
  const std::string wrong = text + "2,caf\xe9\n";
  EXPECT_THAT(refused(wrong), AllOf(StartsWith("t.csv, line 200002: there is a byte that is not utf-8"),
                                    HasSubstr("--encoding latin-1")));
  EXPECT_EQ(parsed(wrong, {.encoding = Encoding::latin1}).columns[1].text(200000), "caf\u00e9");
  // Characters may lie across the blocks in which the file is read.
  const std::string filling((1U << 20U) - text.size() % (1U << 20U) - 4, 'x');
  EXPECT_EQ(parsed(text + "1," + filling + "\u20ac\n").columns[1].text(200000), filling + "\u20ac");
}

TEST(TextStyle, LimitsAreNamed) {
  const TemporaryDirectory directory;
  const auto said = [&](const std::string& name, const std::string& bytes, std::size_t memory = 0) {
    const auto path = directory.file(name, bytes);
    return refusal<DataError>([&] { static_cast<void>(read_table(path, {.memory = memory})); });
  };
  EXPECT_THAT(said("cell.csv", "a,b\n1,\"" + std::string(2U << 20U, 'x') + "\"\n"),
              HasSubstr("line 2: a cell has more than 1048576 bytes"));
  EXPECT_THAT(said("wide.csv", std::string(200000, ',') + "\n1\n"), HasSubstr("more than 100000 cells"));
  EXPECT_THAT(said("zeros.csv.gz", gzipped("a,b\n" + std::string(100U << 20U, '0'))),
              HasSubstr("does not end within"));
  EXPECT_THAT(said("commas.csv.gz", gzipped(std::string(100U << 20U, ','))),
              HasSubstr("does not end within"));
  std::string rows = "a,b\n";
  for (int row = 0; row < 1000000; ++row) rows += "0,1\n";
  // What is no file cannot go to the disk.
  const ByteSource pipe{"rows", [&] { return std::make_unique<std::stringbuf>(rows); }};
  EXPECT_THAT(refusal<DataError>([&] { open_csv(pipe, {.memory = 4U << 20U})->read_all(); }),
              HasSubstr("its rows take more than 4 MB of memory; use fewer rows or columns"));
}

TEST(TextStyle, ForeignFilesAreRefusedWithHowToConvertThem) {
  const TemporaryDirectory directory;
  const auto said = [&](const std::string& name) {
    const auto path = directory.file(name, "PK");
    return refusal<DataError>([&] { static_cast<void>(read_table(path)); });
  };
  EXPECT_THAT(said("t.xlsx"), HasSubstr("t.xlsx: this is a spreadsheet; save it as CSV"));
  EXPECT_THAT(said("t.parquet"), HasSubstr("pandas.read_parquet('"));
  EXPECT_THAT(said("t.arrow"), HasSubstr("t.arrow').to_csv('t.csv', index=False)"));
  EXPECT_THAT(said("t.db"), HasSubstr("--sql 'select * from houses'"));
  EXPECT_THAT(said("t.zip"), HasSubstr("unpack it"));
}

TEST(TextStyle, AModelReadsNewFilesAsItsTrainingFile) {
  const Table table = parsed(
      "1,5;10%;x\n2,5;20%;NONE\n4;30%;y\n3;5%;x\n",
      {.header = Header::absent, .names = {"a", "share", "kind"}, .missing = std::vector<std::string>{"x"}});
  const Preprocessor fitted = Preprocessor::from_json(
      Preprocessor::fit(table, {.targets = {"share"}, .missing = MissingPolicy::impute}).to_json());
  const ReadOptions options = fitted.read_options(false);
  std::istringstream in("3;NONE\n1;x\n");
  const Table later = open_table(in, "later.csv", options)->next(10);
  EXPECT_THAT(later.names(), ElementsAre("a", "kind"));
  EXPECT_EQ(later.columns[1].text(0), "NONE");
  EXPECT_TRUE(later.columns[1].is_missing(1));
  std::istringstream with_target("3,5;0.5;y\n");
  EXPECT_THAT(
      refusal<DataError>([&] { open_table(with_target, "later.csv", fitted.read_options(true))->next(10); }),
      HasSubstr("line 1, column 2"));
}

TEST(TextStyle, TextAfterNumbersIsReadAgainFromAStreamAsFromAFile) {
  std::string text = "code,n\n";
  for (int row = 0; row < 40000; ++row)
    text += (row % 2 == 0 ? "00" : "B") + std::to_string(row % 7) + ",1\n";
  const TemporaryDirectory directory;
  for (const auto& path : {directory.file("t.csv", text), directory.file("t.csv.gz", gzipped(text))}) {
    const Table table = read_table(path);
    EXPECT_EQ(table.columns[0].text(0), "000");
    EXPECT_EQ(table.columns[0].text(39999), "B" + std::to_string(39999 % 7));
    EXPECT_EQ(table.rows(), 40000U);
  }
}

TEST(TextStyle, AttributeFilesAreReadInPiecesAsAWhole) {
  const TemporaryDirectory directory;
  std::string text =
      "% note\n@relation r\n@attribute x real\n@attribute 'the kind' {a, 'it\\'s, b'}\n@inputs x\n@outputs "
      "'the kind'\n@data\n";
  for (int row = 0; row < 1000; ++row)
    text += std::to_string(row) + (row % 2 == 0 ? ", a\n" : ", 'it\\'s, b'\n% between\n");
  for (const std::string name : {"t.dat", "t.arff", "t.dat.gz"}) {
    const auto path = directory.file(name, name.ends_with(".gz") ? gzipped(text) : text);
    const Table whole = read_table(path);
    EXPECT_THAT(whole.outputs, ElementsAre("the kind"));
    for (const std::size_t at_once : {1, 7, 5000}) {
      const auto reader = open_table(path);
      std::size_t row = 0;
      for (Table piece = reader->next(at_once); piece.rows() > 0; piece = reader->next(at_once))
        for (std::size_t k = 0; k < piece.rows(); ++k, ++row) {
          ASSERT_EQ(piece.columns[0].text(k), whole.columns[0].text(row));
          ASSERT_EQ(piece.columns[1].text(k), whole.columns[1].text(row));
          ASSERT_EQ(piece.lines[k], whole.lines[row]);
        }
      EXPECT_EQ(row, whole.rows());
    }
  }
  EXPECT_THAT(read_table(directory.file("plain.dat", "1 2\n3 4\n")).columns[1].numbers, ElementsAre(2, 4));
}

}  // namespace
}  // namespace strata
