#include "study/binomial.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata {
namespace {

TEST(ShareInterval, OfNoOrOnlySuccessesHasAClosedForm) {
  const double bound = std::pow(0.025, 0.1);  // p^10 = 0.025
  EXPECT_NEAR(share_interval(10, 10).low, bound, 1e-12);
  EXPECT_EQ(share_interval(10, 10).high, 1);
  EXPECT_NEAR(share_interval(0, 10).high, 1 - bound, 1e-12);
  EXPECT_EQ(share_interval(0, 10).low, 0);
}

// scipy.stats: beta.ppf(0.025, 7, 4), beta.ppf(0.975, 8, 3), beta.ppf(0.05, 1, 2)
TEST(ShareInterval, IsMadeOfQuantilesOfTheBetaDistribution) {
  EXPECT_NEAR(share_interval(7, 10).low, 0.34754714994, 1e-10);
  EXPECT_NEAR(share_interval(7, 10).high, 0.93326048882, 1e-10);
  EXPECT_NEAR(share_interval(1, 2, 0.9).low, 0.025320565519, 1e-10);
}

TEST(ShareInterval, OfNoTrialsIsEverything) {
  EXPECT_EQ(share_interval(0, 0).low, 0);
  EXPECT_EQ(share_interval(0, 0).high, 1);
}

}  // namespace
}  // namespace strata
