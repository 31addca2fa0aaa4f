#include "strata/data/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "strata/data/read.h"
#include "strata/data/table.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::size_t> sorted_union(const Split& split) {
  std::vector<std::size_t> all = split.train;
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Split, EveryRowIsInExactlyOnePart) {
  for (const std::size_t rows : {2U, 3U, 10U, 101U, 1000U}) {
    const Split split = split_by_fraction(rows, 0.3, RandomStream(1));
    const std::vector<std::size_t> all = sorted_union(split);
    ASSERT_EQ(all.size(), rows);
    for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(all[i], i);
    EXPECT_NEAR(static_cast<double>(split.test.size()), 0.3 * static_cast<double>(rows), 0.5);
  }
}

TEST(Split, SameSeedGivesTheSameRowsAndAnotherSeedOthers) {
  EXPECT_EQ(split_by_counts(100, 80, 20, RandomStream(7)).train,
            split_by_counts(100, 80, 20, RandomStream(7)).train);
  EXPECT_NE(split_by_counts(100, 80, 20, RandomStream(7)).train,
            split_by_counts(100, 80, 20, RandomStream(8)).train);
  const Split split = split_by_counts(100, 80, 20, RandomStream(7));
  EXPECT_FALSE(std::is_sorted(split.train.begin(), split.train.end()));
}

TEST(Split, CountsAreExactAndRowsLeftOverTakeNoPart) {
  const Split split = split_by_counts(100, 50, 20, RandomStream(7));
  EXPECT_EQ(split.train.size(), 50U);
  EXPECT_EQ(split.test.size(), 20U);
  const std::vector<std::size_t> all = sorted_union(split);
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(Split, TrainingRowsCanBeSplitAgain) {
  const std::vector<std::size_t> rows{5, 10, 15, 20};
  const Split split = split_by_fraction(rows, 0.25, RandomStream(3));
  EXPECT_THAT(sorted_union(split), ElementsAre(5, 10, 15, 20));
  EXPECT_EQ(split.test.size(), 1U);
}

TEST(Split, RefusesPartsThatCannotBe) {
  const auto fraction = [](double value, std::size_t rows) {
    return refusal<InvalidOption>(
        [&] { static_cast<void>(split_by_fraction(rows, value, RandomStream(1))); });
  };
  EXPECT_THAT(fraction(1.0, 10), HasSubstr("'test_fraction' = '1': use a number between 0 and 1"));
  EXPECT_THAT(fraction(-0.1, 10), HasSubstr("use a number between 0 and 1"));
  EXPECT_THAT(fraction(std::nan(""), 10), HasSubstr("use a number between 0 and 1"));
  EXPECT_THAT(fraction(0.01, 10), HasSubstr("leaves one part of 10 rows empty"));
  EXPECT_THAT(refusal<InvalidOption>([] { static_cast<void>(split_by_counts(10, 8, 3, RandomStream(1))); }),
              HasSubstr("'train + test' = '8 + 3': there are only 10 rows"));
}

TEST(Table, TakesRowsInTheOrderGivenWithTheirLines) {
  const Table table = parse_csv("a,b\n1,x\n2,y\n3,x\n", "t.csv");
  const Table taken = take_rows(table, std::vector<std::size_t>{2, 0, 2});
  EXPECT_THAT(taken.columns[0].numbers, ElementsAre(3, 1, 3));
  EXPECT_THAT(taken.columns[1].codes, ElementsAre(0, 0, 0));
  EXPECT_THAT(taken.columns[1].categories, ElementsAre("x", "y"));
  EXPECT_THAT(taken.lines, ElementsAre(4, 2, 4));
}

TEST(Table, FindsTheRowsThatHaveValues) {
  const Table table = parse_csv("a,b\n1,x\n,y\n3,\n4,y\n", "t.csv");
  EXPECT_THAT(rows_with_values(table, std::vector<std::string>{"a"}), ElementsAre(0, 2, 3));
  EXPECT_THAT(rows_with_values(table, std::vector<std::string>{"a", "b"}), ElementsAre(0, 3));
}

TEST(Table, AnUnknownColumnIsRefusedWithTheNearestName) {
  const Table table = parse_csv("height,weight\n1,2\n", "t.csv");
  EXPECT_EQ(refusal<DataError>([&] { static_cast<void>(table.column("Hieght")); }),
            "t.csv: there is no column 'Hieght'; did you mean 'height'?");
}

}  // namespace
}  // namespace strata
