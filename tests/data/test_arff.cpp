#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/data/read.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using support::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Arff : public ::testing::Test {
 protected:
  Table read(std::string_view text, const ReadOptions& options = {}) const {
    return read_table(directory.file("t.arff", text), options);
  }
  std::string refused(std::string_view text) const {
    return refusal<DataError>([&] { static_cast<void>(read(text)); });
  }
  TemporaryDirectory directory;
};

TEST_F(Arff, ReadsDeclarationsWhateverTheirCaseQuotesAndLineEnds) {
  const Table table = read(
      "% a comment\r\n@RELATION houses\r\n\r\n@Attribute 'living area' REAL\r\n@attribute rooms Integer\r\n"
      "@attribute \"kind\" {flat, 'town house', NA}\r\n@attribute y numeric\r\n@DATA\r\n"
      "10.5, 2, flat, 1\r\n% between\r\n?, 3,'town house', -2\r\n8, ?, NA, 4\r\n9,4,?,5\r\n");
  EXPECT_THAT(table.names(), ElementsAre("living area", "rooms", "kind", "y"));
  EXPECT_THAT(table.columns[2].categories, ElementsAre("flat", "town house", "NA"));  // as declared
  EXPECT_THAT(table.columns[2].codes, ElementsAre(0, 1, 2, -1));
  EXPECT_TRUE(table.columns[0].is_missing(1));
  EXPECT_TRUE(table.columns[1].is_missing(2));
  EXPECT_THAT(table.columns[3].numbers, ElementsAre(1, -2, 4, 5));
  EXPECT_THAT(table.lines, ElementsAre(9, 11, 12, 13));
}

TEST_F(Arff, EscapedQuotesInsideQuotesAreKept) {
  const Table table =
      read("@relation r\n@attribute a {'it\\'s', b}\n@attribute y real\n@data\n'it\\'s',1\nb,2\n");
  EXPECT_THAT(table.columns[0].categories, ElementsAre("it's", "b"));
  EXPECT_THAT(table.columns[0].codes, ElementsAre(0, 1));
}

TEST_F(Arff, ANumericAttributeMayBeDeclaredNominal) {
  const Table table =
      read("@relation r\n@attribute m integer\n@attribute y real\n@data\n01,1\n2,2\n", {.nominal = {"m"}});
  EXPECT_THAT(table.columns[0].categories, ElementsAre("01", "2"));
}

TEST_F(Arff, RefusesWhatItCannotReadWithItsLine) {
  const std::string head = "@relation r\n@attribute a {x, y}\n@attribute b real\n@data\n";
  EXPECT_THAT(refused(head + "x,1\nz,2\n"),
              HasSubstr("line 6, column 1: 'z' is not among the declared values of 'a'"));
  EXPECT_THAT(refused(head + "x,one\n"), HasSubstr("line 5, column 2: 'one' is not a number"));
  EXPECT_THAT(refused(head + "x,1\nx\n"),
              HasSubstr("line 6: the row has 1 cell where the table has 2 columns"));
  EXPECT_THAT(refused(head + "{0 x}\n"), HasSubstr("line 5: sparse rows"));
  EXPECT_THAT(refused(head), HasSubstr("no row"));
  EXPECT_THAT(refused("@relation r\n@data\n1\n"), HasSubstr("no usable column"));
  EXPECT_THAT(refused("@relation r\n@attribute a real\n1\n"),
              HasSubstr("line 3: '1' is not known before @data"));
  EXPECT_THAT(refused("@relation r\n@attribute a real\n"), HasSubstr("no @data line"));
  EXPECT_THAT(refused("@attribute a relational\n@data\n1\n"),
              HasSubstr("line 1: attribute 'a' has the type 'relational'"));
  EXPECT_THAT(refused("@attribute a {x, y\n@data\nx\n"), HasSubstr("line 1: a list of values is not closed"));
  EXPECT_THAT(refused("@attribute a real\n@attribute a real\n@data\n1,2\n"), HasSubstr("'a' is used twice"));
}

class Keel : public Arff {
 protected:
  Table read_dat(std::string_view text) const { return read_table(directory.file("t.dat", text)); }
};

TEST_F(Keel, ReadsRangesListsAndTheDeclaredOutputs) {
  const Table table = read_dat(
      "@relation plant\n@attribute At real[1.81, 37.11]\n@attribute n integer [0, 9]\n@attribute kind{a,b}\n"
      "@attribute spare real [0,1]\n@attribute Pe real [420.26, 495.76]\n@inputs At, n, kind\n@outputs "
      "Pe\n@data\n"
      "14.96, 1, a, 0, 463.26\n25.18, 2, b, 0, 444.37\n<null>, 3, b, 0, 440\n");
  EXPECT_THAT(table.names(), ElementsAre("At", "n", "kind", "Pe"));  // "spare" is in neither list
  EXPECT_THAT(table.outputs, ElementsAre("Pe"));
  EXPECT_THAT(table.column("Pe").numbers, ElementsAre(463.26, 444.37, 440));
  EXPECT_THAT(table.column("kind").codes, ElementsAre(0, 1, 1));
  EXPECT_TRUE(table.column("At").is_missing(2));
}

TEST_F(Keel, RefusesAnOutputThatIsNoAttribute) {
  const std::string said = refusal<DataError>([&] {
    static_cast<void>(read_dat("@attribute price real\n@attribute b real\n@outputs prise\n@data\n1,2\n"));
  });
  EXPECT_THAT(said, HasSubstr("@outputs names 'prise', which is no attribute; did you mean 'price'?"));
}

}  // namespace
}  // namespace strata
