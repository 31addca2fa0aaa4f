#include "strata/network/knots.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "strata/core/random.h"
#include "strata/data/shared_rows.h"
#include "strata/parallel/thread_communicator.h"

namespace strata {
namespace {

Dataset one_column(const std::vector<double>& values) {
  Dataset data(values.size(), 1, 1);
  std::copy(values.begin(), values.end(), data.inputs.begin());
  return data;
}

TEST(Knots, ShareTheRowsEquallyFromTheLeastValueToTheLargest) {
  std::vector<double> values(101);
  std::iota(values.begin(), values.end(), 0.0);
  for (double& v : values) v *= v;  // far apart at the end
  std::reverse(values.begin(), values.end());
  const ColumnBasis column = piecewise_columns(one_column(values), 5)[0];
  EXPECT_EQ(column.kind, ColumnBasis::Kind::piecewise);
  EXPECT_EQ(column.knots, (std::vector<double>{0, 625, 2500, 5625, 10000}));
  EXPECT_FALSE(column.missing);
}

TEST(Knots, AreTheFirstValuesWithTheirShareAtOrBelowThem) {
  EXPECT_EQ(piecewise_columns(one_column({1, 2, 3, 4, 5, 6, 7, 8}), 5)[0].knots,
            (std::vector<double>{1, 2, 4, 6, 8}));
}

TEST(Knots, AreAllValuesWhereThereAreFew) {
  EXPECT_EQ(piecewise_columns(one_column({3, 1, 2, 2, 2, 2, 2, 2, 1}), 8)[0].knots,
            (std::vector<double>{1, 2, 3}));
}

TEST(Knots, AreOneForValuesThatDifferByRounding) {
  const double nearly_two = std::nextafter(2.0, 3.0);
  EXPECT_EQ(piecewise_columns(one_column({3, 1, nearly_two, 2, nearly_two, 1}), 8)[0].knots,
            (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(piecewise_columns(one_column({1, 2, nearly_two}), 8)[0].kind, ColumnBasis::Kind::scaled);
}

// A far value is as far from the next one as its rank says.
TEST(Knots, ALineOfRanksKeepsOutliersNear) {
  const ColumnBasis column =
      piecewise_columns(one_column({1, 2, 3, 4, 1000}), 8, single_process(), Line::ranks)[0];
  ASSERT_EQ(column.knots.size(), 5U);
  ASSERT_EQ(column.line.size(), 5U);
  EXPECT_EQ(column.line[2], 3);
  EXPECT_NEAR(column.line[4] - 3, 3 - column.line[0], 1e-9);
  EXPECT_NEAR(column.line[3] - 3, 3 - column.line[1], 1e-9);
  // Ranks 0.1 and 0.3 of a normal distribution, from tables: -1.281552 and -0.524401.
  EXPECT_NEAR((column.line[0] - 3) / (column.line[1] - 3), 1.281552 / 0.524401, 1e-5);
  double squares = 0;
  for (const double at_value : column.line) squares += (at_value - 3) * (at_value - 3);
  EXPECT_NEAR(squares / 5, 1, 1e-9);
}

TEST(Knots, OfASumAreThoseOfItsNumbers) {
  Dataset data(4, 2, 1);
  for (std::size_t p = 0; p < 4; ++p) {
    data.x(p, 0) = static_cast<double>(p);
    data.x(p, 1) = static_cast<double>(p * p);
  }
  data.x(3, 1) = std::numeric_limits<double>::quiet_NaN();
  const InputSum sum{.inputs = {0, 1}, .factors = {2, -1}};
  data.x(2, 1) = 9;
  const ColumnBasis column = sum_column(data, sum, 8);
  EXPECT_EQ(column.sum, sum);
  EXPECT_EQ(column.knots, (std::vector<double>{-5, 0, 1}));
  EXPECT_TRUE(column.missing);
}

TEST(Knots, AreNoneForTwoValues) {
  EXPECT_EQ(piecewise_columns(one_column({0, 1, 0, 1}), 8)[0].kind, ColumnBasis::Kind::scaled);
  EXPECT_EQ(piecewise_columns(one_column({4, 4}), 8)[0].kind, ColumnBasis::Kind::scaled);
}

TEST(Knots, LeaveMissingValuesToAnEntryOfTheirOwn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ColumnBasis column = piecewise_columns(one_column({nan, 1, 2, 3, nan}), 8)[0];
  EXPECT_TRUE(column.missing);
  EXPECT_EQ(column.knots, (std::vector<double>{1, 2, 3}));
}

TEST(Knots, AreNotForCategories) {
  Dataset data(4, InputLayout{.columns = {{.categories = 5}, {.categories = 2}}, .expand = false}, 1);
  data.x(2, 1) = std::numeric_limits<double>::quiet_NaN();
  const std::vector<ColumnBasis> expected{
      {.kind = ColumnBasis::Kind::category, .categories = 5},
      {.kind = ColumnBasis::Kind::category, .categories = 2, .missing = true}};
  EXPECT_EQ(piecewise_columns(data, 8), expected);
}

TEST(Knots, TakeAWeightForAsManyRows) {
  RandomStream random(1);
  std::vector<double> values(60), repeated;
  Vector weights(60);
  for (std::size_t i = 0; i < 60; ++i) {
    values[i] = random.uniform();
    weights[i] = std::floor(random.uniform() * 4);
    if (i < 2) {  // the outermost values are in no row that counts
      values[i] = i == 0 ? -1 : 2;
      weights[i] = 0;
    }
    repeated.insert(repeated.end(), static_cast<std::size_t>(weights[i]), values[i]);
  }
  Dataset weighted = one_column(values);
  weighted.weights = weights;
  EXPECT_EQ(piecewise_columns(weighted, 7), piecewise_columns(one_column(repeated), 7));
}

TEST(Knots, AreTheSameWhereProcessesShareTheRows) {
  RandomStream random(2);
  std::vector<double> values(500);
  for (double& v : values) v = std::floor(200 * random.uniform());
  values[400] = std::numeric_limits<double>::quiet_NaN();
  const Dataset data = one_column(values);
  const auto alone = piecewise_columns(data, 16);
  run_as_processes(3, [&](Communicator& processes) {
    EXPECT_EQ(piecewise_columns(share_rows(data, processes), 16, processes), alone);
  });
}

// Half a million rows with a period: of every two rows one is looked at, not those of one phase.
TEST(Knots, OfManyRowsAreNearTheirSharesAndTheSameWhereProcessesShareTheRows) {
  constexpr std::size_t rows = 500'000;
  constexpr std::size_t knots = 11;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Dataset data(rows, 3, 1);
  for (std::size_t p = 0; p < rows; ++p) {
    data.x(p, 0) = static_cast<double>(p % 1000) / 999;
    data.x(p, 1) = p == 1 ? nan : static_cast<double>(p % 2);
    data.x(p, 2) = p % 100000 == 0 ? static_cast<double>(p / 100000) : nan;
  }
  const std::vector<ColumnBasis> alone = piecewise_columns(data, knots);
  ASSERT_EQ(alone[0].knots.size(), knots);
  for (std::size_t k = 0; k < knots; ++k) EXPECT_NEAR(alone[0].knots[k], static_cast<double>(k) / 10, 0.002);
  EXPECT_TRUE(alone[1].missing);
  EXPECT_EQ(alone[2].knots, (std::vector<double>{0, 1, 2, 3, 4}));  // few values are all looked at
  Dataset weighted = data;
  weighted.weights.assign(rows, 1);
  EXPECT_EQ(piecewise_columns(weighted, knots), alone);
  run_as_processes(3, [&](Communicator& processes) {
    EXPECT_EQ(piecewise_columns(share_rows(data, processes), knots, processes), alone);
  });
}

}  // namespace
}  // namespace strata
