#include "strata/trainers/l2_path.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "strata/core/errors.h"
#include "strata/trainers/presets.h"
#include "support/training.h"

namespace strata {
namespace {

using testing_support::FakeClock;
using testing_support::SmallProblem;
using testing_support::smooth_data;
using testing_support::weights_of;

// Few noisy rows to learn from: with too little regularisation the network learns the noise.
struct NoisyProblem {
  Dataset data = smooth_data(50, 3);
  Dataset held_out = smooth_data(200, 3, 1, 9);
  Network start = testing_support::random_network({.inputs = 3, .hidden = {12}}, 2, 1.0);
  Scheme scheme = bld();

  NoisyProblem() {
    RandomStream random(5);
    for (double& target : data.targets) target += random.uniform(-0.5, 0.5);
    scheme.stopping = {.max_sweeps = 30};
  }
  [[nodiscard]] TrainOptions options() const { return {.validation = {.data = &held_out}}; }
};

TEST(L2Path, GoesFromStrongToWeakAndKeepsTheValueWithTheLowestValidationError) {
  const NoisyProblem problem;
  Network network(problem.start);
  const L2PathResult found = train_along_l2_path(network, problem.data, problem.scheme, problem.options(),
                                                 {.strongest = 1, .weakest = 1e-6, .patience = 0});
  ASSERT_EQ(found.path.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(found.path[i].l2 * std::pow(10, i), 1, 1e-9);
  const auto best = std::ranges::min_element(found.path, {}, &L2PathPoint::validation_loss);
  EXPECT_EQ(found.l2, best->l2);
  EXPECT_EQ(found.training.validation_loss, best->validation_loss);
  EXPECT_GT(best, found.path.begin());  // neither the strongest nor the weakest is right here
  EXPECT_LT(best, found.path.end() - 1);

  // The network has the weights of that run.
  const PackedRows rows(problem.data), held_out(problem.held_out);
  EXPECT_EQ(Objective(network, rows, {.l2 = found.l2}).value(), found.training.value);
  EXPECT_EQ(Objective(network, held_out, {}).value(), found.training.validation_loss);
}

TEST(L2Path, EachRunStartsWhereTheOneBeforeEnded) {
  const NoisyProblem problem;
  Network network(problem.start);
  const L2PathOptions two{.strongest = 1e-2, .weakest = 1e-3, .patience = 0};
  const L2PathResult found =
      train_along_l2_path(network, problem.data, problem.scheme, problem.options(), two);

  Network by_hand(problem.start);
  TrainOptions options = problem.options();
  options.objective.l2 = 1e-2;
  const TrainingResult first = train(by_hand, problem.data, problem.scheme, options);
  options.objective.l2 = 1e-3;
  const TrainingResult second = train(by_hand, problem.data, problem.scheme, options);
  EXPECT_EQ(found.path[0].validation_loss, first.validation_loss);
  EXPECT_EQ(found.path[1].validation_loss, second.validation_loss);
  EXPECT_EQ(found.training.sweeps, first.sweeps + second.sweeps);
  EXPECT_EQ(found.training.work.forward, first.work.forward + second.work.forward);
}

TEST(L2Path, EndsAfterValuesThatAreNoBetter) {
  const NoisyProblem problem;
  Network network(problem.start);
  const L2PathResult found = train_along_l2_path(network, problem.data, problem.scheme, problem.options(),
                                                 {.strongest = 1, .weakest = 1e-12, .patience = 2});
  ASSERT_GE(found.path.size(), 3U);
  EXPECT_LT(found.path.size(), 13U);
  EXPECT_EQ(found.l2, found.path[found.path.size() - 3].l2);
}

TEST(L2Path, SearchesForHalfOfTheTimeAndGoesOnWithTheBest) {
  const NoisyProblem problem;
  Network network(problem.start);
  Scheme scheme = problem.scheme;
  scheme.stopping = {.seconds = 20};
  FakeClock clock(0.01);
  TrainOptions options = problem.options();
  options.clock = clock.clock();
  const L2PathResult found = train_along_l2_path(network, problem.data, scheme, options,
                                                 {.strongest = 1e-2, .weakest = 1e-6, .patience = 0});
  ASSERT_EQ(found.path.size(), 6U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found.path[i].seconds, 2, 0.3);
  EXPECT_NEAR(found.path[5].seconds, 10, 0.3);
  const auto best =
      std::min_element(found.path.begin(), found.path.end() - 1,
                       [](const auto& a, const auto& b) { return a.validation_loss < b.validation_loss; });
  EXPECT_EQ(found.path[5].l2, best->l2);
  EXPECT_EQ(found.l2, best->l2);
  EXPECT_LE(found.training.validation_loss, best->validation_loss);
  EXPECT_NEAR(found.training.seconds, 20, 0.3);
}

TEST(L2Path, DoesNotStartFromANetworkThatPredictsTheMean) {
  const NoisyProblem problem;
  Network network(problem.start);
  const L2PathResult found = train_along_l2_path(network, problem.data, problem.scheme, problem.options(),
                                                 {.strongest = 1e3, .weakest = 1e-3, .factor = 1e6});
  ASSERT_EQ(found.path.size(), 2U);
  Network alone(problem.start);
  TrainOptions options = problem.options();
  options.objective.l2 = found.path[1].l2;
  const TrainingResult cold = train(alone, problem.data, problem.scheme, options);
  EXPECT_EQ(found.path[1].validation_loss, cold.validation_loss);
  EXPECT_EQ(weights_of(network), weights_of(alone));
}

TEST(L2Path, IsNotWalkedBlindly) {
  const NoisyProblem problem;
  Network network(problem.start);
  const auto walk = [&](const TrainOptions& options, const L2PathOptions& path) {
    train_along_l2_path(network, problem.data, problem.scheme, options, path);
  };
  EXPECT_THROW(walk({}, {}), InvalidOption);  // no validation rows
  EXPECT_THROW(walk(problem.options(), {.weakest = 0}), InvalidOption);
  EXPECT_THROW(walk(problem.options(), {.strongest = 1e-9}), InvalidOption);
  EXPECT_THROW(walk(problem.options(), {.factor = 1}), InvalidOption);
  EXPECT_THROW(walk(problem.options(), {.search_share = 0}), InvalidOption);
  TrainOptions with_checkpoints = problem.options();
  with_checkpoints.checkpoints.save = [](const State&) {};
  EXPECT_THROW(walk(with_checkpoints, {}), InvalidOption);
  EXPECT_EQ(weights_of(network), weights_of(problem.start));
}

}  // namespace
}  // namespace strata
