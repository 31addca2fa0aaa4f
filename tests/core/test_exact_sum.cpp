#include "strata/core/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "strata/core/random.h"

namespace strata {
namespace {

ExactSum sum_of(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum;
}

TEST(ExactSum, OfOneNumberIsTheNumber) {
  using limits = std::numeric_limits<double>;
  for (const double x : {0.0, 1.0, -1.0, 0.1, -1e300, limits::max(), limits::min(), limits::denorm_min(),
                         3 * limits::denorm_min(), -5e-310, 1.0 + limits::epsilon(), 123456789.987654321})
    EXPECT_EQ(sum_of({x}).value(), x);
}

TEST(ExactSum, LosesNothingToCancellation) {
  EXPECT_EQ(sum_of({1e300, 1.0, -1e300}).value(), 1.0);
  EXPECT_EQ(sum_of({1e300, 1e-300, -1e300, 5e-324, -1e-300}).value(), 5e-324);
  EXPECT_EQ(sum_of({0.1, 0.2, -0.1, -0.2}).value(), 0.0);
}

TEST(ExactSum, OfWholeNumbersIsWhatIntegersGive) {
  RandomStream random(3);
  ExactSum sum;
  std::int64_t expected = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto x = static_cast<std::int64_t>(random.below(1U << 30U)) - (1 << 29);
    sum.add(static_cast<double>(x));
    expected += x;
  }
  EXPECT_EQ(sum.value(), static_cast<double>(expected));
}

TEST(ExactSum, DependsNeitherOnOrderNorOnParts) {
  RandomStream random(1);
  std::vector<double> values(1000);
  for (double& value : values)
    value = std::ldexp(random.uniform(-1, 1), static_cast<int>(random.below(400)) - 200);
  const double expected = sum_of(values).value();
  int rounded = 0;
  for (int round = 0; round < 20; ++round) {
    random.shuffle(std::span(values));
    const auto cut = values.begin() + static_cast<std::ptrdiff_t>(random.below(1001));
    ExactSum sum = sum_of({values.begin(), cut});
    sum += sum_of({cut, values.end()});
    EXPECT_EQ(sum.value(), expected);
    rounded += std::accumulate(values.begin(), values.end(), 0.0) != expected ? 1 : 0;
  }
  EXPECT_GT(rounded, 0);  // a plain sum does depend on the order
}

}  // namespace
}  // namespace strata
