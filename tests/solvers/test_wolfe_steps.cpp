// The scalar halves of the Wolfe line searches: which step they try next.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/line_searches.h"
#include "strata/solvers/wolfe.h"

namespace strata {
namespace {

TEST(MoreThuente, TakesTheTrialsOfMinpackOnTheFunctionsOfThePaper) {
  for (const reference::LineTrials& expected : reference::more_thuente_trials) {
    const std::vector<LinePoint>& points = expected.points;
    const WolfeOptions options{.decrease = expected.decrease, .curvature = expected.curvature};
    MoreThuente search(points[0], options);
    LineVerdict verdict = LineVerdict::refused;
    for (std::size_t i = 1; i < points.size(); ++i) {
      ASSERT_NE(verdict, LineVerdict::accepted);
      ASSERT_FALSE(search.exhausted());
      verdict = search.judge(points[i]);
      if (i + 1 < points.size()) {
        EXPECT_NEAR(search.next_step(), points[i + 1].step, 1e-10 * points[i + 1].step) << i;
      }
    }
    EXPECT_EQ(verdict == LineVerdict::accepted, expected.accepted);
    EXPECT_EQ(search.exhausted(), !expected.accepted);
  }
}

// phi' = -1, -0.5 and -0.1 at 0, 1 and 2, and linear between: both interpolations of the second trial lead to 2.25.
TEST(MoreThuente, ExtrapolatesByAtLeast11TimesTheLastStride) {
  MoreThuente search({0, 0, -1}, {.decrease = 1e-4, .curvature = 1e-3});
  ASSERT_EQ(search.judge({1, -0.75, -0.5}), LineVerdict::better);
  EXPECT_NEAR(search.next_step(), 2, 1e-12);
  ASSERT_EQ(search.judge({2, -1.05, -0.1}), LineVerdict::better);
  EXPECT_NEAR(search.next_step(), 2 + 1.1, 1e-12);
}

// A slope that has exactly the size that is allowed.
TEST(WolfeSearches, AcceptATrialThatJustMeetsTheCurvatureCondition) {
  const WolfeOptions options{.decrease = 0.25, .curvature = 0.5};
  const LinePoint start{0, 0, -1};
  for (const double slope : {-0.5, 0.5}) {
    EXPECT_EQ(WolfeBracket(start, options).judge({1, -0.25, slope}), LineVerdict::accepted);
    EXPECT_EQ(MoreThuente(start, options).judge({1, -0.25, slope}), LineVerdict::accepted);
    EXPECT_NE(WolfeBracket(start, options).judge({1, -0.25, 1.01 * slope}), LineVerdict::accepted);
    EXPECT_NE(MoreThuente(start, options).judge({1, -0.25, 1.01 * slope}), LineVerdict::accepted);
  }
}

// A cubic with a maximum at `top` and a minimum at `bottom`: its interpolation is exact.
LinePoint cubic(double step, double top, double bottom) {
  const double value = step * step * step / 3 - (top + bottom) * step * step / 2 + top * bottom * step;
  return {step, value, (step - top) * (step - bottom)};
}

const WolfeOptions strict{.decrease = 1e-4, .curvature = 1e-3};

TEST(WolfeBracket, FindsTheMinimumOfACubicInOneInterpolation) {
  for (const double bottom : {0.7, 1.0, 1.6}) {
    WolfeBracket refused(cubic(0, -2, bottom), strict);
    ASSERT_EQ(refused.judge(cubic(3, -2, bottom)), LineVerdict::refused);
    EXPECT_NEAR(refused.next_step(), bottom, 1e-12);

    WolfeBracket risen(cubic(0, -2, bottom),
                       strict);  // lower, and already uphill: the start becomes the other end
    ASSERT_EQ(risen.judge(cubic(1.2 * bottom, -2, bottom)), LineVerdict::better);
    EXPECT_NEAR(risen.next_step(), bottom, 1e-12);
  }
}

TEST(WolfeBracket, GrowsToTheMinimumAheadByBetween11And4Strides) {
  const auto after_one_stride = [](double stride, double top, double bottom) {
    WolfeBracket bracket(cubic(0, top, bottom), strict);
    EXPECT_EQ(bracket.judge(cubic(stride, top, bottom)), LineVerdict::better);
    return bracket.next_step();
  };
  EXPECT_NEAR(after_one_stride(0.5, -2, 1.5), 1.5, 1e-12);
  EXPECT_NEAR(after_one_stride(0.5, -2, 0.6), 0.5 + 1.1 * 0.5, 1e-12);
  EXPECT_NEAR(after_one_stride(0.5, -2, 9.0), 0.5 + 4 * 0.5, 1e-12);
}

TEST(WolfeBracket, GrowsByFourStridesWhereNoMinimumIsAhead) {
  WolfeBracket concave({0, 0, -1}, strict);
  ASSERT_EQ(concave.judge({0.5, -1, -3}), LineVerdict::better);
  EXPECT_EQ(concave.next_step(), 2.5);
  WolfeBracket bracket({0, 0, -1}, strict);
  ASSERT_EQ(bracket.judge({0.5, -0.5, -1}), LineVerdict::better);  // a line
  EXPECT_EQ(bracket.next_step(), 2.5);
}

// Within a twentieth of either end nothing is learnt; and without a minimum the middle is as good as any.
TEST(WolfeBracket, KeepsItsTrialsOffTheEndsOfTheInterval) {
  WolfeBracket near_low(cubic(0, -2, 0.1), strict);
  ASSERT_EQ(near_low.judge(cubic(4, -2, 0.1)), LineVerdict::refused);
  EXPECT_NEAR(near_low.next_step(), 0.05 * 4, 1e-12);

  const double bottom = 3.9;
  WolfeBracket near_high(cubic(0, -20, bottom), strict);
  ASSERT_EQ(near_high.judge(cubic(4, -20, bottom)), LineVerdict::better);  // the interval is from 4 back to 0
  EXPECT_NEAR(near_high.next_step(), 4 - 0.05 * 4, 1e-12);

  WolfeBracket no_minimum({0, 0, -1}, {.decrease = 0.8, .curvature = 0.9});
  ASSERT_EQ(no_minimum.judge({4, -8.0 / 3, -1}), LineVerdict::refused);  // downhill at both ends and between
  EXPECT_NEAR(no_minimum.next_step(), 2, 1e-12);

  WolfeBracket unknown({0, 0, -1}, strict);
  ASSERT_EQ(unknown.judge({4, std::numeric_limits<double>::quiet_NaN(), 1}), LineVerdict::refused);
  EXPECT_TRUE(unknown.met_non_finite());
  EXPECT_EQ(unknown.next_step(), 1);  // a quarter: no value tells more
}

// After a step back the minimum lies between the new best point and the one before it.
TEST(WolfeBracket, TurnsTheIntervalWhereTheSlopePointsBack) {
  WolfeBracket bracket({0, 0, -1}, strict);
  ASSERT_EQ(bracket.judge({1, -0.5, 0.5}), LineVerdict::better);
  ASSERT_EQ(bracket.judge({0.6, -0.6, -0.1}), LineVerdict::better);
  const double next = bracket.next_step();
  EXPECT_GT(next, 0.6);
  EXPECT_LT(next, 1);
}

TEST(WolfeBracket, HalvesAnIntervalThatHardlyShrinks) {
  WolfeBracket bracket({0, 0, -1}, strict);
  double high = 1;
  double next = 0;
  for (int trial = 0; trial < 3; ++trial, high *= 0.9) {  // always refused, each a little nearer
    ASSERT_EQ(bracket.judge({high, 10, 1000}), LineVerdict::refused);
    next = bracket.next_step();
  }
  EXPECT_EQ(next, 0.5 * 0.9 * 0.9);
}

TEST(WolfeBracket, EndsWhenTheIntervalIsNoWiderThanRounding) {
  WolfeBracket bracket({0, 0, -1}, strict);
  ASSERT_EQ(bracket.judge({1, -0.5, -0.5}), LineVerdict::better);
  EXPECT_FALSE(bracket.exhausted());
  ASSERT_EQ(bracket.judge({1 + 1e-12, -0.4, 1}), LineVerdict::refused);
  EXPECT_FALSE(bracket.exhausted());
  ASSERT_EQ(bracket.judge({1 + 4 * std::numeric_limits<double>::epsilon(), -0.4, 1}), LineVerdict::refused);
  EXPECT_TRUE(bracket.exhausted());
}

}  // namespace
}  // namespace strata
