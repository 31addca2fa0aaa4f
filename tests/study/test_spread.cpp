#include "study/spread.h"

#include <gtest/gtest.h>

#include <limits>

namespace strata {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Spread, QuartilesLieBetweenTheSortedValues) {
  const auto found = spread({4, 1, 3, 2});  // places 0.75, 1.5 and 2.25
  ASSERT_TRUE(found);
  EXPECT_EQ(found->values, 4U);
  EXPECT_EQ(found->lowest, 1);
  EXPECT_EQ(found->lower_quartile, 1.75);
  EXPECT_EQ(found->median, 2.5);
  EXPECT_EQ(found->upper_quartile, 3.25);
  EXPECT_EQ(found->highest, 4);
}

TEST(Spread, OneValueIsItsOwnQuartiles) {
  const auto found = spread({7});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lower_quartile, 7);
  EXPECT_EQ(found->median, 7);
  EXPECT_EQ(found->upper_quartile, 7);
}

TEST(Spread, ValuesThatAreNotFiniteDoNotCount) {
  const auto found = spread({infinity, 1, 3});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->values, 2U);
  EXPECT_EQ(found->median, 2);
  EXPECT_FALSE(spread({infinity}));
}

}  // namespace
}  // namespace strata
