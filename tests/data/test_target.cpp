// Targets of a classification: labels, codes, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "strata/data/generators.h"
#include "strata/data/preprocess.h"
#include "strata/data/read.h"
#include "strata/data/split.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Table target_table(std::string_view text) { return parse_csv(text, "t.csv"); }

std::string refused(std::string_view text, PreprocessOptions options = {}) {
  options.targets = {"y"};
  return refusal<Error>([&] { static_cast<void>(Preprocessor::fit(target_table(text), options)); });
}

constexpr auto three = "x,y\n1,red\n2,blue\n3,red\n4,green\n";

TEST(Target, TextIsClassesAndBecomesCodesOfSortedLabels) {
  const Table table = target_table(three);
  const Preprocessor fitted = Preprocessor::fit(table, {.targets = {"y"}});
  EXPECT_THAT(fitted.classes(), ElementsAre("blue", "green", "red"));
  EXPECT_EQ(fitted.outputs(), 1U);
  EXPECT_THAT(fitted.apply(table).targets, ElementsAre(2, 0, 2, 1));
}

TEST(Target, NumbersAreARegressionUnlessTheTaskSaysOtherwise) {
  const Table table = target_table("x,y\n1,10\n2,9\n3,10\n");
  EXPECT_THAT(Preprocessor::fit(table, {.targets = {"y"}}).classes(), IsEmpty());
  const Preprocessor classes = Preprocessor::fit(table, {.targets = {"y"}, .task = Task::classification});
  EXPECT_THAT(classes.classes(), ElementsAre("9", "10"));
  EXPECT_THAT(classes.apply(table).targets, ElementsAre(1, 0, 1));
}

TEST(Target, TwoTextsAreZeroAndOneForARegression) {
  const Table table = target_table("x,y\n1,no\n2,yes\n3,no\n");
  const Preprocessor fitted = Preprocessor::fit(table, {.targets = {"y"}, .task = Task::regression});
  EXPECT_THAT(fitted.classes(), IsEmpty());
  EXPECT_THAT(fitted.apply(table).targets, ElementsAre(0, 1, 0));
}

TEST(Target, ClassesAreStoredWithThePreprocessor) {
  const Preprocessor fitted = Preprocessor::fit(target_table(three), {.targets = {"y"}});
  EXPECT_EQ(Preprocessor::from_json(fitted.to_json()), fitted);
}

TEST(Target, ARowOfAnUnknownClassIsNamed) {
  const Preprocessor fitted =
      Preprocessor::fit(target_table(three), {.targets = {"y"}, .unseen = UnseenPolicy::zeros});
  EXPECT_THAT(
      refusal<DataError>([&] { static_cast<void>(fitted.apply(target_table("x,y\n1,red\n2,pink\n"))); }),
      HasSubstr("line 3, column 2: the class 'pink' of the target 'y' did not occur in training"));
}

TEST(Target, WhatCannotBeClassesIsRefused) {
  EXPECT_THAT(refused("x,y\n1,no\n2,no\n"),
              HasSubstr("column 2: the target 'y' has a single class in the training rows, 'no'"));
  EXPECT_THAT(refused("x,y\n1,a\n2,b\n3,c\n"), HasSubstr("has as many classes as training rows, 3"));
  EXPECT_THAT(refused("x,y\n1,a\n2,b\n3,\n4,a\n"),
              HasSubstr("line 4, column 2: the target 'y' has no value"));
  EXPECT_THAT(refused("x,y\n1,a\n2,b\n3,c\n4,c\n", {.max_categories = 2}),
              HasSubstr("has 3 classes, more than 2; choose another column, or give --task regression"));
  EXPECT_THAT(refused("x,y\n1,a\n2,b\n3,c\n4,c\n", {.task = Task::regression}),
              HasSubstr("has 3 values in the training rows; for a regression it needs two"));
  EXPECT_THAT(refusal<InvalidOption>([] {
                static_cast<void>(Preprocessor::fit(target_table("x,y,z\n1,2,3\n2,3,4\n"),
                                                    {.targets = {"y", "z"}, .task = Task::classification}));
              }),
              HasSubstr("'task' = 'classification': it has one target"));
}

TEST(SplitByClass, EveryClassGivesItsShare) {
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < 1000; ++i) codes.push_back(i % 100 == 0 ? 2 : i % 10 == 0 ? 1 : 0);
  std::vector<std::size_t> rows(codes.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const Split split = split_by_class(rows, codes, 0.2, RandomStream(3));
  std::array<std::size_t, 3> found{};
  for (const std::size_t row : split.test) ++found.at(static_cast<std::size_t>(codes[row]));
  EXPECT_THAT(found, ElementsAre(180, 18, 2));
  std::set<std::size_t> all(split.train.begin(), split.train.end());
  all.insert(split.test.begin(), split.test.end());
  EXPECT_EQ(all.size(), rows.size());
  EXPECT_EQ(split.train.size(), 800U);
}

TEST(SplitByClass, ALastRowStaysInTraining) {
  const std::vector<std::int32_t> codes{0, 0, 0, 0, 0, 0, 1, 2};
  const std::vector<std::size_t> rows{0, 1, 2, 3, 4, 5, 6, 7};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Split split = split_by_class(rows, codes, 0.5, RandomStream(seed));
    EXPECT_EQ(split.test.size(), 3U);  // three of the six; the others have one row each
    for (const std::size_t row : split.test) EXPECT_LT(row, 6U);
  }
}

TEST(Spirals, LieWhereTheirClassSays) {
  const Table table = spirals({.rows = 200, .classes = 3, .noise = 0, .seed = 4});
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double x = table.columns[0].numbers[row];
    const double y = table.columns[1].numbers[row];
    const double u = std::hypot(x, y);
    const double angle = 2 * std::numbers::pi * (u + table.columns[2].codes[row] / 3.0);
    EXPECT_NEAR(x, u * std::cos(angle), 1e-12);
    EXPECT_NEAR(y, u * std::sin(angle), 1e-12);
  }
  EXPECT_THAT(table.columns[2].categories, ElementsAre("a", "b", "c"));
  EXPECT_THAT(refusal<InvalidOption>([] { static_cast<void>(spirals({.classes = 1})); }),
              HasSubstr("'classes' = '1': use 2 to 26"));
}

}  // namespace
}  // namespace strata
