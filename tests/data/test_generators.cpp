#include "strata/data/generators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "reference/generators.h"
#include "strata/data/preprocess.h"
#include "support/files.h"

namespace strata {
namespace {

template <std::size_t n>
void expect_bits(const Table& table, const std::array<std::uint64_t, n>& expected) {
  const std::size_t width = table.columns.size();
  ASSERT_EQ(table.rows() * width, n);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(table.columns[i % width].numbers[i / width]), expected[i])
        << "row " << i / width << ", " << table.columns[i % width].name;
}

TEST(Generators, GiveTheBitsOfAnIndependentComputation) {
  expect_bits(friedman1({.rows = 5, .inputs = 6, .noise = 1, .seed = 7}),
              reference::friedman1_seed7_inputs6_noise1);
  expect_bits(folded_staircase({.rows = 6, .inputs = 4, .folds = 5, .noise = 0, .seed = 3}),
              reference::folded_staircase_seed3_inputs4_folds5_noise0);
}

TEST(Generators, Friedman1FollowsItsFormulaWithoutNoise) {
  const Table table = friedman1({.rows = 500, .inputs = 8, .noise = 0, .seed = 1});
  const auto x = [&](std::size_t number, std::size_t row) { return table.columns[number - 1].numbers[row]; };
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const double y = 10 * std::sin(std::numbers::pi * x(1, r) * x(2, r)) + 20 * std::pow(x(3, r) - 0.5, 2) +
                     10 * x(4, r) + 5 * x(5, r);
    EXPECT_NEAR(table.column("y").numbers[r], y, 1e-13);
  }
}

TEST(Generators, NoiseHasItsSizeAndDoesNotChangeTheInputs) {
  const Table quiet = friedman1({.rows = 20000, .noise = 0, .seed = 2});
  const Table noisy = friedman1({.rows = 20000, .noise = 3, .seed = 2});
  EXPECT_EQ(quiet.columns[4].numbers, noisy.columns[4].numbers);
  double squares = 0;
  for (std::size_t r = 0; r < quiet.rows(); ++r)
    squares += std::pow(noisy.column("y").numbers[r] - quiet.column("y").numbers[r], 2);
  EXPECT_NEAR(squares / 20000, 9, 5 * 9 * std::sqrt(2.0 / 20000));
}

TEST(Generators, ALongerTableBeginsWithTheShorterOne) {
  const Table shorter = friedman1({.rows = 10, .seed = 4});
  const Table longer = friedman1({.rows = 20, .seed = 4});
  for (std::size_t c = 0; c < shorter.columns.size(); ++c)
    for (std::size_t r = 0; r < 10; ++r)
      EXPECT_EQ(shorter.columns[c].numbers[r], longer.columns[c].numbers[r]);
  EXPECT_NE(shorter.columns[0].numbers, friedman1({.rows = 10, .seed = 5}).columns[0].numbers);
}

// Along x1 + x2 the target without steps is a zigzag of 2^folds lines, each of slope 2^(folds-1) in x1.
TEST(Generators, EveryFoldDoublesTheSlope) {
  for (const int folds : {1, 3, 6}) {
    const Table table = folded_staircase({.rows = 2000, .inputs = 3, .folds = folds, .seed = 9});
    const double pieces = std::ldexp(1.0, folds);
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const double u = (table.columns[0].numbers[r] + table.columns[1].numbers[r]) / 2 * pieces;
      const double whole = std::floor(u);
      const double zigzag = std::fmod(whole, 2) == 0 ? u - whole : 1 - (u - whole);
      const double y = table.column("y").numbers[r];
      EXPECT_NEAR(y, table.columns[2].numbers[r] < 0.5 ? zigzag : std::floor(4 * zigzag) / 4, 1e-12);
    }
  }
}

TEST(Generators, GoThroughThePreprocessingLikeAFile) {
  const Table table = folded_staircase({.rows = 100});
  const Dataset data =
      Preprocessor::fit(table, {}).apply(table);  // the table itself says that y is the output
  EXPECT_EQ(data.features(), 4U);
  EXPECT_EQ(data.outputs, 1U);
}

TEST(Generators, HousesHavePricesThatFollowTheirFormula) {
  const Table table = housing({.rows = 300, .noise = 0, .seed = 5});
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const auto x = [&](const char* name) { return table.column(name).numbers[r]; };
    const std::string condition = table.column("condition").text(r);
    const double factor = condition == "poor" ? 0.8 : condition == "fair" ? 1 : 1.15;
    const double price = x("area") * (1500 + 3500 / (1 + x("distance") / 6)) *
                             (1 - 0.3 * x("age") / (x("age") + 40)) * factor +
                         (table.column("garden").text(r) == "yes" ? 15000 : 0);
    EXPECT_NEAR(x("price"), price, 50.001);
  }
  EXPECT_EQ(table.column("rooms").numbers,
            housing({.rows = 300, .noise = 1, .seed = 5}).column("rooms").numbers);
}

TEST(Generators, RefuseSizesThatMakeNoTable) {
  using support::refusal;
  EXPECT_EQ(refusal<InvalidOption>([] { static_cast<void>(friedman1({.inputs = 4})); }),
            "option 'inputs' = '4': use 5 or more");
  EXPECT_EQ(refusal<InvalidOption>([] { static_cast<void>(friedman1({.rows = 0})); }),
            "option 'rows' = '0': use 1 or more");
  EXPECT_EQ(refusal<InvalidOption>([] { static_cast<void>(friedman1({.noise = -1})); }),
            "option 'noise' = '-1': use 0 or a finite positive number");
  EXPECT_EQ(refusal<InvalidOption>([] { static_cast<void>(folded_staircase({.folds = 0})); }),
            "option 'folds' = '0': use 1 to 40");
}

}  // namespace
}  // namespace strata
