// Gauss-Newton products against an explicit Jacobian, made from finite differences of the network's outputs.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <utility>

#include "strata/objective/objective.h"
#include "support/engines.h"
#include "support/networks.h"

namespace strata {
namespace {

using testing_support::random_network;
using testing_support::RowsOnEngine;
using testing_support::smooth_data;

Eigen::VectorXd outputs_of(const Network& network, const Dataset& data) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(data.rows * data.outputs));
  network.predict(data.x(), {out.data(), data.rows, data.outputs});
  return out;
}

// d outputs / d weights of the block, column by column.
Eigen::MatrixXd jacobian(Network network, Block block, const Dataset& data) {
  const auto w = network.weights(block);
  Eigen::MatrixXd j(static_cast<Eigen::Index>(data.rows * data.outputs), static_cast<Eigen::Index>(w.size()));
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const double keep = w[i];
    w[i] = keep + step;
    const Eigen::VectorXd up = outputs_of(network, data);
    w[i] = keep - step;
    j.col(static_cast<Eigen::Index>(i)) = (up - outputs_of(network, data)) / (2 * step);
    w[i] = keep;
  }
  return j;
}

Eigen::Map<const Eigen::VectorXd> as_eigen(const Vector& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

TEST(GaussNewton, ProductsMatchAnExplicitJacobian) {
  for (const Activation g : {Activation::sigmoid, Activation::tanh, Activation::elu, Activation::softplus,
                             Activation::silu, Activation::leaky_relu})
    for (const Bias bias : {Bias::none, Bias::input, Bias::per_layer})
      for (const std::size_t outputs : {1, 2}) {
        const Dataset data = smooth_data(141, 3, outputs);  // two panels, the second with padding
        Network network = random_network(
            {.inputs = 3, .hidden = {5, 4, 6}, .outputs = outputs, .activation = g, .bias = bias});
        // Nothing kept; activations but no sensitivities; both.
        const std::size_t activations = (6 + 5 + 7) * 2 * 136 * sizeof(double);
        for (const std::size_t memory : {std::size_t{0}, activations, std::size_t{1} << 20U}) {
          RowsOnEngine on(data);
          on.leave(memory);
          Objective objective(network, on.rows, {.l2 = 1e-3});
          // Layers by themselves; several; with the output layer.
          for (const Block block :
               {Block{2, 2}, Block{1, 1}, Block{0, 0}, Block{0, 2}, Block{1, 3}, Block{0, 3}}) {
            BlockObjective f = objective.open(block);
            ASSERT_TRUE(f.has_gauss_newton());
            const auto w = std::as_const(network).weights(block);
            Vector gradient(f.size()), expected(f.size()), v(f.size()), hv(f.size());
            const double value = f.linearise(gradient);
            EXPECT_NEAR(value, f.value_and_gradient(w, expected), 1e-13);
            for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-13);

            const Eigen::MatrixXd j = jacobian(network, block, data);
            RandomStream random(3);
            for (double& x : v) x = random.uniform(-1, 1);
            f.gauss_newton_times(v, hv);
            const Eigen::VectorXd exact = 2.0 / 141 * (j.transpose() * (j * as_eigen(v)));
            EXPECT_LT((as_eigen(hv) - exact).norm(), 1e-7 * (1 + exact.norm()))
                << to_string(g) << " " << to_string(bias) << " layers " << block.first << " to "
                << block.last;
          }
        }
      }
}

TEST(GaussNewton, KroneckerFactorsAreTheMomentsTheyClaimToBe) {
  // With one sample the Kronecker product of the two factors is the Gauss-Newton matrix itself.
  const Dataset data = smooth_data(1, 3);
  Network network = random_network({.inputs = 3, .hidden = {4, 5}});
  const PackedRows rows(data);
  Objective objective(network, rows, {});
  for (std::size_t l = 0; l < 2; ++l) {
    BlockObjective f = objective.open({l, l});
    Vector gradient(f.size()), v(f.size()), hv(f.size());
    f.linearise(gradient);
    RandomStream random(3);
    for (double& x : v) x = random.uniform(-1, 1);
    f.gauss_newton_times(v, hv);
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto map = [](ConstMatrix m) {
      return Eigen::Map<const RowMajor>(m.data(), static_cast<Eigen::Index>(m.rows()),
                                        static_cast<Eigen::Index>(m.columns()));
    };
    const ConstMatrix w = std::as_const(network).layer(l);
    const RowMajor product =
        map(f.input_moments(l)) * map({v.data(), w.rows(), w.columns()}) * map(f.sensitivity_moments(l));
    for (Eigen::Index i = 0; i < product.size(); ++i)
      EXPECT_NEAR(product.data()[i], hv[static_cast<std::size_t>(i)], 1e-14);
  }
}

TEST(GaussNewton, SameBitsForAnyNumberOfThreads) {
  const Dataset data = smooth_data(2000, 4);
  const auto run = [&](std::size_t threads) {
    const RowsOnEngine on(data, threads);
    Network network = random_network({.inputs = 4, .hidden = {9, 8}});
    Objective objective(network, on.rows, {});
    BlockObjective f = objective.open({1, 1});
    Vector gradient(f.size()), hv(f.size());
    f.linearise(gradient);
    f.gauss_newton_times(gradient, hv);
    hv.insert(hv.end(), gradient.begin(), gradient.end());
    hv.insert(hv.end(), f.input_moments(1).data(), f.input_moments(1).data() + f.input_moments(1).size());
    return hv;
  };
  EXPECT_EQ(run(1), run(2));
  EXPECT_EQ(run(1), run(3));
}

// Sensitivities that are not kept are computed again to the same bits, whatever else is kept.
TEST(GaussNewton, SameBitsForAnyMemory) {
  const Dataset data = smooth_data(300, 3, 4);
  for (const Activation g : {Activation::sigmoid, Activation::silu})
    for (const Block block : {Block{0, 0}, Block{1, 1}, Block{1, 2}, Block{0, 3}}) {
      const auto run = [&](std::size_t memory) {
        RowsOnEngine on(data, 2);
        on.leave(memory);
        Network network = random_network({.inputs = 3, .hidden = {5, 4, 6}, .outputs = 4, .activation = g});
        Objective objective(network, on.rows, {});
        BlockObjective f = objective.open(block);
        Vector gradient(f.size()), hv(f.size()), again(f.size());
        f.linearise(gradient);
        f.gauss_newton_times(gradient, hv);
        f.gauss_newton_times(hv, again);
        again.insert(again.end(), gradient.begin(), gradient.end());
        return again;
      };
      const Vector plenty = run(std::size_t{1} << 30U);
      for (const std::size_t memory : {0, 30'000, 60'000, 100'000, 150'000}) EXPECT_EQ(run(memory), plenty);
    }
}

// A committed trial brings its activations along: what follows has the bits of an objective that computes them anew.
TEST(GaussNewton, ACommittedTrialLeavesNothingToComputeAgain) {
  const Dataset data = smooth_data(300, 3);
  const PackedRows rows(data);
  for (const Activation g : {Activation::sigmoid, Activation::silu}) {
    Network network = random_network({.inputs = 3, .hidden = {5, 4, 6}, .activation = g});
    Objective objective(network, rows, {.l2 = 1e-3});
    for (const Block block : {Block{3, 3}, Block{2, 2}, Block{1, 2}, Block{0, 0}, Block{0, 3}}) {
      BlockObjective f = objective.open(block);
      Vector trial(f.size());
      step_to(trial, std::as_const(network).weights(block), 0.1, Vector(f.size(), 1.0));
      EXPECT_EQ(f.try_weights(trial), f.value(trial));
      objective.commit(block, trial);
      EXPECT_EQ(objective.valid_layers(), 3U);

      Network copy = network;
      Objective fresh(copy, rows, {.l2 = 1e-3});
      BlockObjective here = objective.open({1, 1});
      BlockObjective there = fresh.open({1, 1});
      Vector gradient(here.size()), expected(here.size());
      EXPECT_EQ(here.linearise(gradient), there.linearise(expected));
      EXPECT_EQ(gradient, expected);
      here.gauss_newton_times(trial = gradient, gradient);
      there.gauss_newton_times(trial, expected);
      EXPECT_EQ(gradient, expected);
    }
  }
}

TEST(GaussNewton, ATrialThatIsNotTheOneCommittedIsForgotten) {
  const Dataset data = smooth_data(300, 3);
  const PackedRows rows(data);
  Network network = random_network({.inputs = 3, .hidden = {5, 4}});
  Objective objective(network, rows, {});
  const auto trial_of = [&](Block block) {
    const auto w = std::as_const(network).weights(block);
    return Vector(w.begin(), w.end());
  };
  Vector trial = trial_of({1, 1});
  objective.open({1, 1}).try_weights(trial);
  trial[0] += 1;
  objective.commit({1, 1}, trial);
  EXPECT_EQ(objective.valid_layers(), 1U);

  trial = trial_of({0, 0});
  objective.open({0, 0}).try_weights(trial);
  network.weights()[network.size() - 1] += 1;  // by other means
  objective.refresh();
  objective.commit({0, 0}, trial);
  EXPECT_EQ(objective.valid_layers(), 0U);
}

TEST(GaussNewton, ExistsForAllBlocksButTheOutputLayer) {
  const Dataset data = smooth_data(10, 3);
  Network network = random_network({.inputs = 3, .hidden = {4, 5}});
  const PackedRows rows(data);
  Objective objective(network, rows, {});
  EXPECT_TRUE(objective.open({0, 0}).has_gauss_newton());
  EXPECT_TRUE(objective.open({0, 1}).has_gauss_newton());
  EXPECT_TRUE(objective.open({1, 2}).has_gauss_newton());
  EXPECT_FALSE(objective.open({2, 2}).has_gauss_newton());
}

}  // namespace
}  // namespace strata
