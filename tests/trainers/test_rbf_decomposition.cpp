// Networks with a radial layer: solutions that are known, and what the steps of the decomposition are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "strata/core/errors.h"
#include "strata/network/centres.h"
#include "strata/trainers/presets.h"
#include "support/training.h"

namespace strata {
namespace {

using testing_support::feature_matrix;
using testing_support::random_network;
using testing_support::smooth_data;
using testing_support::Trained;
using testing_support::trained;

// What a network with few centres gives for rows on the unit square.
struct KnownNetwork {
  explicit KnownNetwork(Activation g)
      : truth({.inputs = 2, .hidden = {3}, .activation = g, .radial_width = 0.4}), data(smooth_data(400, 2)) {
    const double weights[] = {0.2, 0.8, 0.5, 0.3, 0.4, 0.9, 1.5, -2, 1, 0.5};
    std::ranges::copy(weights, truth.weights().begin());
    Vector features;
    truth.predict(feature_matrix(data, features), data.y());
  }
  Network truth;
  Dataset data;
};

Scheme run_of(std::size_t sweeps) {
  Scheme scheme = rbf_decomposition();
  scheme.stopping = {.max_sweeps = sweeps};
  return scheme;
}

class EveryRadialFunction : public testing::TestWithParam<Activation> {};

TEST_P(EveryRadialFunction, FitsDataOfASmallNetworkFromCentresAtRows) {
  const KnownNetwork known(GetParam());
  Network start =
      random_network({.inputs = 2, .hidden = {15}, .activation = GetParam(), .radial_width = 0.4});
  place_centres(start, known.data, RandomStream(3));
  const Trained fitted = trained(start, known.data, run_of(400), {.objective = {.l2 = 1e-12}});
  double variance = 0, mean = 0;
  for (const double y : known.data.targets) mean += y / 400;
  for (const double y : known.data.targets) variance += (y - mean) * (y - mean) / 400;
  EXPECT_LT(fitted.result.value, 1e-4 * variance);
}

TEST_P(EveryRadialFunction, FindsTheCentresAgainFromNearThem) {
  const KnownNetwork known(GetParam());
  Network start(known.truth);
  RandomStream random(5);
  for (double& c : start.weights({0, 0})) c += random.uniform(-0.1, 0.1);
  const Trained fitted = trained(start, known.data, run_of(3000), {});
  EXPECT_LT(fitted.result.value, 1e-7);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(fitted.network.weights()[i], known.truth.weights()[i], 0.02);
}

INSTANTIATE_TEST_SUITE_P(Functions, EveryRadialFunction,
                         testing::Values(Activation::gaussian, Activation::multiquadric,
                                         Activation::inverse_multiquadric),
                         [](const auto& instance) { return std::string(to_string(instance.param)); });

// With the centres where they are, one sweep solves the output layer; every later visit lowers f.
TEST(RbfDecomposition, SolvesTheOutputLayerAndNeverIncreasesTheObjective) {
  const KnownNetwork known(Activation::gaussian);
  Network start =
      random_network({.inputs = 2, .hidden = {6}, .activation = Activation::gaussian, .radial_width = 0.4});
  place_centres(start, known.data, RandomStream(1));
  const Trained fixed = trained(start, known.data, elm(), {.objective = {.l2 = 1e-6}});
  Scheme scheme = run_of(4);
  scheme.reporting.steps = true;
  const Trained moved = trained(start, known.data, scheme, {.objective = {.l2 = 1e-6}});
  ASSERT_EQ(moved.result.steps.size(), 4U * 7);
  EXPECT_NEAR(moved.result.steps[0].after, fixed.result.value, 1e-9 * fixed.result.value);
  for (const StepRecord& step : moved.result.steps) EXPECT_LE(step.after, step.before);
  EXPECT_LT(moved.result.value, 0.9 * fixed.result.value);
}

// A visit begins one trial above the step that its block took last: steps grow to the length that they can have.
TEST(RbfDecomposition, StepsGrowFromVisitToVisit) {
  const KnownNetwork known(Activation::gaussian);
  Network start =
      random_network({.inputs = 2, .hidden = {6}, .activation = Activation::gaussian, .radial_width = 0.4});
  place_centres(start, known.data, RandomStream(1));
  const auto after = [&](bool from_last) {
    Scheme scheme = run_of(60);
    scheme.updates.hidden =
        ArmijoStepsOptions{.solver = {.line_search = {.first_step = 1e-4}}, .from_last = from_last};
    return trained(start, known.data, scheme, {.objective = {.l2 = 1e-8}}).result;
  };
  EXPECT_LT(after(true).value, 0.5 * after(false).value);
}

TEST(RbfDecomposition, ACheckpointOfAnotherWidthIsRefused) {
  const KnownNetwork known(Activation::gaussian);
  State saved;
  TrainOptions options;
  options.checkpoints.save = [&](const State& state) { saved = state; };
  trained(known.truth, known.data, run_of(1), options);
  options.checkpoints = {.resume = &saved};
  const Network other({.inputs = 2, .hidden = {3}, .activation = Activation::gaussian, .radial_width = 0.5});
  EXPECT_THROW(trained(other, known.data, run_of(2), options), InvalidOption);
}

}  // namespace
}  // namespace strata
