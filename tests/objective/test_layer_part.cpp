// A block of some neurons of a hidden layer: the function of their weights, seen through what is kept for it, is the objective.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "strata/objective/objective.h"
#include "support/columns.h"
#include "support/engines.h"
#include "support/networks.h"

namespace strata {
namespace {

using testing_support::data_in_columns;
using testing_support::gradient_error;
using testing_support::mixed_columns;
using testing_support::random_network;
using testing_support::random_weights;
using testing_support::RowsOnEngine;
using testing_support::smooth_data;

const std::vector<Block> parts{{0, 0, 0, 1}, {0, 0, 2, 5}, {1, 1, 4, 1}, {1, 1, 0, 5}, {2, 2, 3, 2}};

std::string name_of(const Block& part) {
  return fmt::format("layer {}, {} neurons from {} on", part.first, part.neurons, part.neuron);
}

// The entries of a vector as long as the network's weights that are a part's.
Vector part_of_all(const Network& network, Block part, const Vector& all) {
  Network holder(network.architecture());
  std::ranges::copy(all, holder.weights().begin());
  Vector own(network.size(part));
  holder.read(part, own);
  return own;
}

// Another point, a step away.
Vector beside(std::span<const double> x, std::uint64_t seed) {
  RandomStream random(seed);
  Vector moved(x.begin(), x.end());
  for (double& w : moved) w += random.uniform(-0.4, 0.4);
  return moved;
}

double from_scratch(Network network, const PackedRows& rows, const ObjectiveOptions& options) {
  return Objective(network, rows, options).value();
}

TEST(LayerPart, HasTheGradientOfFiniteDifferencesAndOfTheWholeNetwork) {
  for (const Activation g :
       {Activation::linear, Activation::sigmoid, Activation::tanh, Activation::relu, Activation::leaky_relu,
        Activation::elu, Activation::softplus, Activation::silu, Activation::gaussian,
        Activation::multiquadric, Activation::inverse_multiquadric})
    for (const Bias bias : {Bias::none, Bias::input, Bias::per_layer})
      for (const std::size_t outputs : {1, 3}) {
        Dataset data = smooth_data(137, 4, outputs);
        data.weights = random_weights(data.rows);
        Network network = random_network(
            {.inputs = 4, .hidden = {7, 5, 6}, .outputs = outputs, .activation = g, .bias = bias});
        const PackedRows rows(data);
        Objective objective(network, rows, {.l2 = 1e-3});
        Vector all(network.size());
        const double value = objective.value_and_gradient(all);
        for (const Block& part : parts) {
          SCOPED_TRACE(testing::Message() << to_string(g) << " " << to_string(bias) << " " << name_of(part));
          BlockObjective f = objective.open(part);
          const Vector x(f.weights().begin(), f.weights().end());
          ASSERT_EQ(x.size(), network.architecture().fan_in(part.first) * part.neurons);
          EXPECT_LT(gradient_error(f, x), 1e-6);
          EXPECT_LT(gradient_error(f, beside(x, 3)), 1e-6);
          Vector gradient(f.size());
          EXPECT_EQ(f.value_and_gradient(x, gradient), value);  // the change of the next layer's sums is 0
          const Vector expected = part_of_all(network, part, all);
          for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-14);
        }
      }
}

// Trials and steps of parts, in any order and between steps of layers, against an objective that keeps nothing.
TEST(LayerPart, TrialsOnTopOfKeptSumsAreThoseOfAFullPassAfterAnySteps) {
  const Dataset data = smooth_data(700, 3);
  const PackedRows rows(data);
  const ObjectiveOptions options{.l2 = 1e-3};
  for (const KernelSet kernels : {KernelSet::simd, KernelSet::reference}) {
    Network network = random_network({.inputs = 3, .hidden = {7, 5, 6}, .activation = Activation::silu});
    Objective objective(network, rows, {.l2 = 1e-3, .kernels = kernels});
    RandomStream random(4);
    for (int step = 0; step < 60; ++step) {
      const std::size_t chosen = random.below(parts.size() + 2);
      const Block block = chosen < parts.size() ? parts[chosen] : Block{2 * (chosen - parts.size()), 3};
      BlockObjective f = objective.open(block);
      const Vector trial = beside(f.weights(), static_cast<std::uint64_t>(step));
      Network there(network);
      there.write(block, trial);
      EXPECT_NEAR(f.value(trial), from_scratch(there, rows, options), 1e-13);
      if (random.below(3) == 0) continue;
      objective.commit(block, trial);
      EXPECT_TRUE(std::ranges::equal(network.weights(), there.weights()));
    }
    EXPECT_NEAR(objective.value(), from_scratch(network, rows, options), 1e-13);
  }
}

// What a visit of every part sees and leaves: gradients, values of trials, weights.
Vector visit_parts(Network network, const PackedRows& rows, Precision precision = Precision::float64) {
  Objective objective(network, rows, {.l2 = 1e-4, .precision = precision});
  Vector seen;
  for (int sweep = 0; sweep < 2; ++sweep)
    for (const Block& part : parts) {
      BlockObjective f = objective.open(part);
      Vector x(f.weights().begin(), f.weights().end());
      Vector gradient(f.size());
      seen.push_back(f.value_and_gradient(x, gradient));
      seen.insert(seen.end(), gradient.begin(), gradient.end());
      add_scaled(x, -0.5, gradient);
      seen.push_back(f.try_weights(x));
      objective.commit(part, x);
    }
  seen.push_back(objective.value());
  return seen;
}

TEST(LayerPart, HasTheSameBitsForAnyThreadsAndAnyMemory) {
  const Dataset data = smooth_data(3003, 6);
  const Network network =
      random_network({.inputs = 6, .hidden = {7, 5, 6}, .activation = Activation::softplus});
  const PackedRows plain(data);
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    const Vector one = visit_parts(network, plain, precision);
    for (const std::size_t threads : {2, 3, 8})
      EXPECT_EQ(visit_parts(network, RowsOnEngine(data, threads).rows, precision), one) << threads;
    // Rows in float32 take 0.1 MB, activations in float64 0.55 MB and the sums of a layer 0.13 or 0.16 MB.
    for (const std::size_t bytes : {120'000, 600'000, 700'000})
      EXPECT_EQ(visit_parts(network, RowsOnEngine(data).leave(bytes).rows, precision), one) << bytes;
  }
}

TEST(LayerPart, OfAFirstLayerWithTablesHasTheGradientOfTheWholeNetwork) {
  const std::vector<ColumnBasis> columns = mixed_columns(1);
  const Dataset data = data_in_columns(columns, 150, 1);
  Network network = random_network({.inputs = columns.size(), .hidden = {9, 4}, .columns = columns});
  const PackedRows rows(data);
  Objective objective(network, rows, {.l2 = 1e-3});
  Vector all(network.size());
  objective.value_and_gradient(all);
  for (const Block part : {Block{0, 0, 0, 1}, Block{0, 0, 3, 6}, Block{1, 1, 2, 2}}) {
    SCOPED_TRACE(name_of(part));
    BlockObjective f = objective.open(part);
    const Vector x(f.weights().begin(), f.weights().end());
    EXPECT_LT(gradient_error(f, x), 1e-6);
    Vector gradient(f.size());
    f.value_and_gradient(x, gradient);
    const Vector expected = part_of_all(network, part, all);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-14);
    objective.commit(part, beside(x, 5));
    EXPECT_EQ(objective.value(), from_scratch(network, rows, {.l2 = 1e-3}));
    objective.value_and_gradient(all);
  }
}

// A neuron of 10 costs a tenth of its layer and of the next one, and the layers after that; not the layer.
TEST(LayerPart, CountsItsShareOfTheLayerAndTheLayersAfterTheNext) {
  const Dataset data = smooth_data(200, 3);
  const PackedRows rows(data);
  Network network = random_network({.inputs = 3, .hidden = {10, 10, 10, 10}});
  Objective objective(network, rows, {});
  BlockObjective f = objective.open({1, 1, 4, 1});
  Vector gradient(f.size());
  const Vector x(f.weights().begin(), f.weights().end());
  const Work opened = objective.work();
  f.value(x);
  const Work tried = objective.work();
  EXPECT_EQ(tried - opened, (Work{.forward = 20 + 20 + 2 * 200, .evaluations = 1}));
  f.value_and_gradient(x, gradient);
  EXPECT_EQ(
      objective.work() - tried,
      (Work{
          .forward = 20 + 20 + 2 * 200, .backward = 20 + 2 * 200, .weight_gradient = 20, .evaluations = 1}));
  const Work before = objective.work();
  objective.commit({1, 1, 4, 1}, beside(x, 1));
  objective.open({1, 1, 5, 1});
  EXPECT_EQ((objective.work() - before).forward, 20U + 200U);  // its own outputs, and the next layer's sums
}

}  // namespace
}  // namespace strata
