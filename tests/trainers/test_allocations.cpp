#include "support/allocation_counter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "strata/trainers/presets.h"
#include "support/training.h"

namespace strata {
namespace {

using testing_support::random_network;
using testing_support::smooth_data;

class TrainingAllocations : public testing::TestWithParam<std::string> {};

// What a sweep may allocate: one record of itself, and room for more records of steps where those are kept. Vectors of
// records double, so most sweeps take nothing; a step that allocated would show up many times in every sweep.
TEST_P(TrainingAllocations, NoStepAllocatesAfterTheFirstTwoSweeps) {
  constexpr std::size_t sweeps = 40;
  const Dataset data = smooth_data(400, 3);
  Network network = random_network({.inputs = 3, .hidden = {6, 5, 4}}, 2, 1.0);
  Scheme scheme = preset(GetParam(), 4);
  if (scheme.batches.size > 0) scheme.batches.size = 32;  // 13 batches, 13 or 52 steps a sweep
  scheme.stopping = {.max_sweeps = sweeps};
  if (GetParam() == "lbfgs")  // one long solve: cut it into visits
    scheme.updates.hidden =
        lbfgs({.solver = {.max_iterations = 5, .gradient_tolerance = 0, .keep_history = true}});

  std::vector<std::size_t> counts;
  counts.reserve(sweeps + 1);
  scheme.observers.sweep = [&counts](const SweepRecord&) { counts.push_back(test::allocations()); };
  train(network, data, scheme, {.objective = {.l2 = 1e-3}, .seed = 3});

  ASSERT_GT(counts.size(), 10U);
  for (std::size_t sweep = 2; sweep < counts.size(); ++sweep)
    EXPECT_LE(counts[sweep] - counts[sweep - 1], 2U) << "sweep " << sweep;
  const std::size_t all = counts.back() - counts[1];
  EXPECT_LE(all, 15U);  // each vector of records doubles a few times in forty sweeps
}

TEST(Allocations, NoStepOfAllLayersTogetherAllocates) {
  const Dataset data = smooth_data(400, 3);
  Network network = random_network({.inputs = 3, .hidden = {6, 5, 4}}, 2, 1.0);
  Scheme scheme = blgn();
  scheme.batches = whole_data();
  scheme.selection = whole_network();
  scheme.updates.hidden = gauss_newton({.joint_lbfgs = 7, .joint_pairs = 9});
  scheme.stopping = {.max_sweeps = 30};
  std::vector<std::size_t> counts;
  counts.reserve(31);
  scheme.observers.sweep = [&counts](const SweepRecord&) { counts.push_back(test::allocations()); };
  train(network, data, scheme, {.objective = {.l2 = 1e-3}, .seed = 3});
  ASSERT_GT(counts.size(), 10U);
  EXPECT_LE(counts.back() - counts[1], 5U);  // the vector of records doubles
}

INSTANTIATE_TEST_SUITE_P(Train, TrainingAllocations,
                         testing::Values("b2ld", "bld", "neuron-wise", "lbfgs", "bling", "ig", "sg", "adam",
                                         "adagrad", "svrg", "saga", "mrbcd", "mrbcd-vr"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace strata
