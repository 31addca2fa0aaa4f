#include "strata/core/vector.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>

#include "strata/core/errors.h"
#include "strata/core/stop_reason.h"

namespace strata {
namespace {

TEST(Vector, DotEqualsThePlainSumForEveryLength) {
  for (std::size_t n = 0; n < 40; ++n) {
    Vector a(n);
    std::iota(a.begin(), a.end(), 1.0);  // small integers: exact in any order
    EXPECT_EQ(dot(a, a), static_cast<double>(n * (n + 1) * (2 * n + 1)) / 6) << n;
  }
}

TEST(Vector, StartsOnACacheLine) {
  for (std::size_t n : {1, 3, 17, 1000}) {
    const Vector a(n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0U);
  }
}

TEST(Vector, StepsAndFiniteness) {
  Vector x{1, 2};
  const Vector d{10, 20};
  add_scaled(x, 0.5, d);
  EXPECT_EQ(x, (Vector{6, 12}));
  step_to(x, d, -1, d);
  EXPECT_EQ(x, (Vector{0, 0}));
  EXPECT_TRUE(all_finite(x));
  x[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(all_finite(x));
}

TEST(Errors, NameWhatWhereAndRemedy) {
  EXPECT_STREQ(InvalidOption("batch", "0", "use 1 or more").what(), "option 'batch' = '0': use 1 or more");
  EXPECT_STREQ(DataError({"a.csv", 3, 2}, "empty cell").what(), "a.csv, line 3, column 2: empty cell");
  EXPECT_STREQ(DataError({"a.csv"}, "empty file").what(), "a.csv: empty file");
}

TEST(StopReason, LimitsAreNotConvergence) {
  EXPECT_TRUE(converged(StopReason::gradient_tolerance));
  EXPECT_FALSE(converged(StopReason::time_limit));
  EXPECT_EQ(to_string(StopReason::line_search_failed), "line_search_failed");
}

}  // namespace
}  // namespace strata
