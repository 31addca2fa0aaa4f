#include "strata/objective/objective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "strata/core/errors.h"
#include "support/engines.h"
#include "support/networks.h"

namespace strata {
namespace {

using testing_support::gradient_error;
using testing_support::random_network;
using testing_support::RowsOnEngine;
using testing_support::smooth_data;

constexpr Activation all_activations[] = {Activation::sigmoid,      Activation::tanh,
                                          Activation::relu,         Activation::leaky_relu,
                                          Activation::elu,          Activation::softplus,
                                          Activation::silu,         Activation::gaussian,
                                          Activation::multiquadric, Activation::inverse_multiquadric};

TEST(Objective, ValueIsTheMeanLossPlusTheRegulariser) {
  const Dataset data = smooth_data(5, 2);
  Network network({.inputs = 2, .hidden = {}, .bias = Bias::input});
  network.weights()[0] = 0.5;
  network.weights()[1] = -1;
  network.weights()[2] = 0.25;
  double expected = 0.1 * (0.25 + 1 + 0.0625);
  for (std::size_t p = 0; p < 5; ++p) {
    const double e = 0.5 * data.x(p, 0) - data.x(p, 1) + 0.25 - data.y()(p, 0);
    expected += e * e / 5;
  }
  const PackedRows rows(data);
  Objective objective(network, rows, {.l2 = 0.1});
  EXPECT_NEAR(objective.value(), expected, 1e-15);
}

TEST(BlockObjective, GradientOfEachBlockMatchesFiniteDifferences) {
  for (const Activation g : all_activations)
    for (const Bias bias : {Bias::none, Bias::input, Bias::per_layer})
      for (const std::size_t outputs : {1, 3}) {
        const Dataset data = smooth_data(37, 4, outputs);
        Network network = random_network(
            {.inputs = 4, .hidden = {7, 5, 6}, .outputs = outputs, .activation = g, .bias = bias});
        const PackedRows rows(data);
        Objective objective(network, rows, {.l2 = 1e-3});
        for (const Block block :
             {Block{0, 0}, Block{1, 1}, Block{2, 2}, Block{3, 3}, Block{0, 3}, Block{1, 2}, Block{2, 3}}) {
          BlockObjective f = objective.open(block);
          const double error = gradient_error(f, network.weights(block));
          EXPECT_LT(error, 1e-6) << to_string(g) << " " << to_string(bias) << " layers " << block.first
                                 << ".." << block.last << " outputs " << outputs;
        }
      }
}

TEST(BlockObjective, GradientTestRefusesAWrongGradient) {
  struct OffByOnePercent {
    double value(std::span<const double> x) { return x[0] * x[0]; }
    double value_and_gradient(std::span<const double> x, std::span<double> g) {
      g[0] = 2.02 * x[0];
      return value(x);
    }
  } f;
  EXPECT_GT(gradient_error(f, Vector{1.5}), 1e-3);
}

TEST(BlockObjective, PlainAndFastEnginesAgree) {
  const Dataset data = smooth_data(300, 5, 2);
  for (const Activation g : all_activations) {
    Network network = random_network({.inputs = 5, .hidden = {9, 8}, .outputs = 2, .activation = g});
    const PackedRows rows(data);
    Objective fast(network, rows, {.l2 = 1e-4});
    Objective plain(network, rows, {.l2 = 1e-4, .kernels = KernelSet::reference});
    Vector a(network.size()), b(network.size());
    EXPECT_NEAR(fast.value_and_gradient(a), plain.value_and_gradient(b), 1e-12);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12);
  }
}

TEST(BlockObjective, SameBitsForAnyNumberOfThreads) {
  const Dataset data = smooth_data(5003, 6);
  const auto run = [&](std::size_t threads) {
    const RowsOnEngine on(data, threads);
    Network network = random_network({.inputs = 6, .hidden = {11, 10, 9}});
    Objective objective(network, on.rows, {.l2 = 1e-4});
    Vector all;
    for (const Block block : {Block{0, 3}, Block{3, 3}, Block{2, 2}, Block{1, 1}, Block{0, 0}}) {
      BlockObjective f = objective.open(block);
      Vector g(f.size());
      all.push_back(f.value_and_gradient(network.weights(block), g));
      all.insert(all.end(), g.begin(), g.end());
      if (const LocalModel model = f.model(); model.has_gram())
        all.insert(all.end(), model.gram().data(), model.gram().data() + model.gram().size());
      for (double& w : g) w *= -0.1;
      add_scaled(g, 1, network.weights(block));
      objective.commit(block, g);
    }
    return all;
  };
  const Vector one = run(1);
  for (const std::size_t threads : {2, 3, 8}) EXPECT_EQ(run(threads), one) << threads;
}

// After any order of updates, the function seen through the cache is the function computed from scratch.
TEST(BlockObjective, CachedPrefixEqualsFullForwardPassAfterAnySweepOrder) {
  const Dataset data = smooth_data(700, 3);
  const PackedRows rows(data);
  RowsOnEngine without_memory(data);
  without_memory.leave(0);
  Network network = random_network({.inputs = 3, .hidden = {6, 5, 4, 5}});
  Objective cached(network, rows, {.l2 = 1e-5});
  RandomStream random(8);
  for (int step = 0; step < 60; ++step) {
    const std::size_t first = random.below(5);
    const Block block{first, first + random.below(5 - first)};
    BlockObjective f = cached.open(block);
    Vector g(f.size());
    const double value = f.value_and_gradient(network.weights(block), g);

    Objective fresh(network, without_memory.rows, {.l2 = 1e-5});  // recomputes every prefix
    BlockObjective h = fresh.open(block);
    Vector expected(h.size());
    ASSERT_EQ(value, h.value_and_gradient(network.weights(block), expected)) << step;
    ASSERT_EQ(g, expected) << step;
    ASSERT_EQ(value, fresh.value()) << step;

    for (double& w : g) w = random.uniform(-0.5, 0.5);
    cached.commit(block, g);
  }
}

TEST(BlockObjective, QuadraticFormOfTheOutputLayerIsTheFunctionItself) {
  for (const std::size_t outputs : {1, 2}) {
    const Dataset data = smooth_data(333, 4, outputs);
    const PackedRows rows(data);
    Network network = random_network({.inputs = 4, .hidden = {6, 7}, .outputs = outputs});
    Objective objective(network, rows, {.l2 = 1e-3});
    BlockObjective direct = objective.open(network.output_layer());
    BlockObjective quadratic = objective.open(network.output_layer());
    ASSERT_TRUE(quadratic.use_quadratic_form());
    RandomStream random(4);
    Vector x(direct.size()), g(x.size()), q(x.size()), v(x.size()), hv(x.size());
    for (int i = 0; i < 5; ++i) {
      for (double& w : x) w = random.uniform(-1, 1);
      for (double& w : v) w = random.uniform(-1, 1);
      const double value = direct.value_and_gradient(x, g);
      EXPECT_NEAR(quadratic.value_and_gradient(x, q), value, 1e-13 * (1 + value));
      EXPECT_NEAR(quadratic.value(x), value, 1e-13 * (1 + value));
      for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(q[k], g[k], 1e-12 * (1 + norm(g)));
      // The gradient is linear: its difference along v is H v.
      quadratic.hessian_times(v, hv);
      Vector moved(x), g2(x.size());
      add_scaled(moved, 1, v);
      direct.value_and_gradient(moved, g2);
      for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(g2[k] - g[k], hv[k], 1e-12 * (1 + norm(hv)));
    }
    EXPECT_FALSE(objective.open({1, 1}).use_quadratic_form());
    EXPECT_FALSE(objective.open(network.whole()).use_quadratic_form());
  }
}

TEST(Objective, BatchesAreMeansOverTheirOwnRowsOfAnySize) {
  const Dataset data = smooth_data(301, 3);
  for (const std::size_t size : {1, 3, 8, 33, 128, 200, 301}) {
    Network network = random_network({.inputs = 3, .hidden = {5, 4}});
    const PackedRows all(data);
    PackedRows rows(serial_engine());
    auto order = RandomStream(3).permutation(301);
    rows.pack(all, order, size);
    Objective objective(network, rows, {.l2 = 0.01});
    double sum = 0;
    std::size_t start = 0;
    Vector total(network.size(), 0.0), g(network.size());
    for (std::size_t b = 0; b < rows.batches(); ++b) {
      objective.select(rows.batch(b));
      ASSERT_EQ(objective.selected_rows(), std::min(size, 301 - start));
      const double weight = static_cast<double>(objective.selected_rows()) / 301;
      sum += weight * objective.value_and_gradient(g);
      add_scaled(total, weight, g);
      start += objective.selected_rows();
    }
    objective.select(rows.all());
    EXPECT_NEAR(objective.value_and_gradient(g), sum, 1e-14) << size;
    for (std::size_t i = 0; i < g.size(); ++i) EXPECT_NEAR(g[i], total[i], 1e-14);
  }
}

TEST(Objective, CountsWorkInRowsTimesLayers) {
  const Dataset data = smooth_data(200, 3);
  const PackedRows rows(data);
  Network network = random_network({.inputs = 3, .hidden = {5, 4, 3}});  // four layers
  Objective objective(network, rows, {});
  Vector g(network.size());
  objective.value_and_gradient(g);
  EXPECT_EQ(objective.work(),
            (Work{.forward = 800, .backward = 600, .weight_gradient = 800, .evaluations = 1}));
  BlockObjective f = objective.open({2, 2});  // two layers of prefix
  EXPECT_EQ(objective.work().forward, 1200U);
  f.value_and_gradient(network.weights({2, 2}), std::span(g).first(f.size()));
  EXPECT_EQ(objective.work(),
            (Work{.forward = 1600, .backward = 800, .weight_gradient = 1000, .evaluations = 2}));
  objective.open({1, 1});  // its input is still valid
  EXPECT_EQ(objective.work().forward, 1600U);
}

TEST(Objective, RefusesDataOfAnotherShape) {
  const Dataset data = smooth_data(20, 3);
  const PackedRows rows(data);
  Network wrong_inputs({.inputs = 4, .hidden = {2}});
  Network wrong_outputs({.inputs = 3, .hidden = {2}, .outputs = 2});
  Network right({.inputs = 3, .hidden = {2}});
  EXPECT_THROW(Objective(wrong_inputs, rows, {}), InvalidOption);
  EXPECT_THROW(Objective(wrong_outputs, rows, {}), InvalidOption);
  EXPECT_THROW(Objective(right, rows, {.l2 = -1}), InvalidOption);
  EXPECT_THROW(PackedRows(Dataset(0, 3, 1)), InvalidOption);
}

}  // namespace
}  // namespace strata
