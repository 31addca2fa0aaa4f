// Training with weights goes where training on repeated rows goes. One sweep: in later ones L-BFGS makes differences in
// the sixteenth digit visible.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/training.h"

namespace strata {
namespace {

using testing_support::random_network;
using testing_support::repeated;
using testing_support::smooth_data;
using testing_support::trained;

class WeightedTraining : public testing::TestWithParam<std::string> {};

TEST_P(WeightedTraining, ReachesTheValueOfRepeatedRows) {
  Dataset data = smooth_data(60, 3);
  for (std::size_t p = 0; p < data.rows; ++p) data.weights.push_back(static_cast<double>(p % 4));
  const Network start = random_network({.inputs = 3, .hidden = {5, 4}}, 2, 1.0);
  Scheme scheme = preset(GetParam(), 3);
  scheme.stopping = {.max_sweeps = 1};
  const TrainOptions options{.objective = {.l2 = 1e-3}};
  const double weighted = trained(start, data, scheme, options).result.value;
  const double repetition = trained(start, repeated(data, data.weights), scheme, options).result.value;
  EXPECT_NEAR(weighted, repetition, 1e-8 * repetition);
  data.weights.clear();
  EXPECT_GT(std::abs(trained(start, data, scheme, options).result.value - repetition), 1e-3 * repetition);
}

INSTANTIATE_TEST_SUITE_P(Methods, WeightedTraining, testing::Values("b2ld", "bld", "lbfgs", "blgn", "elm"),
                         [](const auto& method) { return method.param; });

}  // namespace
}  // namespace strata
