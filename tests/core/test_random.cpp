#include "strata/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "strata/core/portable_math.h"

namespace strata {
namespace {

// First outputs of the published xoshiro256** for the state 1, 2, 3, 4 (worked out by hand from its definition:
// rotl(s1 * 5, 7) * 9 with s1 = 2 is rotl(10, 7) * 9 = 1280 * 9).
TEST(RandomStream, FollowsThePublishedGenerator) {
  RandomStream stream(0);
  stream.restore({1, 2, 3, 4});
  EXPECT_EQ(stream.next(), 11520U);
  EXPECT_EQ(stream.next(), 0U);
  EXPECT_EQ(stream.next(), 1509978240U);
}

TEST(RandomStream, SameSeedGivesTheSameStreamAndSplitsDiffer) {
  RandomStream a(7);
  RandomStream b(7);
  EXPECT_EQ(a.next(), b.next());
  EXPECT_EQ(a.split(1).next(), b.split(1).next());
  EXPECT_NE(a.split(1).next(), a.split(2).next());
  EXPECT_NE(RandomStream(7).next(), RandomStream(8).next());
}

TEST(RandomStream, UniformAndNormalHaveTheirMoments) {
  RandomStream stream(3);
  constexpr int count = 200000;
  double uniform_sum = 0;
  double normal_sum = 0;
  double normal_squares = 0;
  for (int i = 0; i < count; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    uniform_sum += u;
    const double x = stream.normal();
    normal_sum += x;
    normal_squares += x * x;
  }
  EXPECT_NEAR(uniform_sum / count, 0.5, 5 * std::sqrt(1.0 / 12 / count));
  EXPECT_NEAR(normal_sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(normal_squares / count, 1, 5 * std::sqrt(2.0 / count));
}

TEST(RandomStream, PermutationHoldsEveryIndexOnce) {
  auto order = RandomStream(11).permutation(1000);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
}

TEST(RandomStream, ShuffleIsThatOfFisherAndYates) {
  for (const std::size_t count : {0U, 1U, 2U, 31U, 32U, 33U, 34U, 65U, 1000U}) {
    RandomStream stream(count), plain(count);
    std::vector<std::size_t> expected(count);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(expected[i - 1], expected[plain.below(i)]);
    EXPECT_EQ(stream.permutation(count), expected);
    EXPECT_EQ(stream.state(), plain.state());
  }
}

// Where a quarter of all values are drawn again.
TEST(RandomStream, BelowDrawsAgainWhatWouldMakeSomeValuesLikelier) {
  const std::size_t bound = (std::size_t{3} << 62U) - 5;
  const std::size_t threshold = (0 - bound) % bound;
  RandomStream stream(2), plain(2);
  int again = 0;
  for (int i = 0; i < 1000; ++i) {
    std::uint64_t value = plain.next();
    for (; value < threshold; ++again) value = plain.next();
    EXPECT_EQ(stream.below(bound), value % bound);
  }
  EXPECT_GT(again, 100);
}

TEST(RandomStream, BelowReachesEveryValueEvenly) {
  RandomStream stream(5);
  std::array<int, 7> seen{};
  for (int i = 0; i < 70000; ++i) ++seen[stream.below(7)];
  for (const int n : seen) EXPECT_NEAR(n, 10000, 500);
}

TEST(PortableMath, AgreesWithTheLibraryToRounding) {
  RandomStream stream(1);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::ldexp(stream.uniform(0.5, 1.0), static_cast<int>(stream.below(120)) - 60);
    EXPECT_NEAR(portable_log(x), std::log(x), 4e-16 * std::max(1.0, std::abs(std::log(x)))) << x;
    const double angle = stream.uniform(-1000, 1000);
    EXPECT_NEAR(portable_sin(angle), std::sin(angle), 4e-16 + 1e-16 * std::abs(angle)) << angle;
  }
}

}  // namespace
}  // namespace strata
