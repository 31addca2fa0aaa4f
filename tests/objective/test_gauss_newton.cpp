// Gauss-Newton products against an explicit Jacobian, made from finite differences of the network's outputs.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "strata/objective/objective.h"
#include "support/engines.h"
#include "support/losses.h"

namespace strata {
namespace {

using testing_support::data_for;
using testing_support::feature_matrix;
using testing_support::loss_cases;
using testing_support::LossCase;
using testing_support::network_for;
using testing_support::random_network;
using testing_support::RowsOnEngine;
using testing_support::smooth_data;

Eigen::VectorXd outputs_of(const Network& network, const Dataset& data) {
  const std::size_t outputs = network.architecture().outputs;
  Eigen::VectorXd out(static_cast<Eigen::Index>(data.rows * outputs));
  Vector features;
  network.predict(feature_matrix(data, features), {out.data(), data.rows, outputs});
  return out;
}

// d outputs / d weights of the block, column by column.
Eigen::MatrixXd jacobian(Network network, Block block, const Dataset& data) {
  const auto w = network.weights(block);
  Eigen::MatrixXd j(outputs_of(network, data).size(), static_cast<Eigen::Index>(w.size()));
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
                             Activation::silu, Activation::leaky_relu, Activation::gaussian,
                             Activation::multiquadric, Activation::inverse_multiquadric})
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
            const auto w = std::as_const(network).weights(block);
            Vector expected(f.size()), v(f.size()), hv(f.size());
            const LocalModel model = f.model();
            EXPECT_FALSE(model.is_exact());
            EXPECT_NEAR(model.value(), f.value_and_gradient(w, expected), 1e-13);
            for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(model.gradient()[i], expected[i], 1e-13);

            const Eigen::MatrixXd j = jacobian(network, block, data);
            RandomStream random(3);
            for (double& x : v) x = random.uniform(-1, 1);
            model.times(v, hv);
            const Eigen::VectorXd exact =
                2.0 / 141 * (j.transpose() * (j * as_eigen(v))) + 2e-3 * as_eigen(v);
            EXPECT_LT((as_eigen(hv) - exact).norm(), 1e-7 * (1 + exact.norm()))
                << to_string(g) << " " << to_string(bias) << " layers " << block.first << " to "
                << block.last;
          }
        }
      }
}

// H of every row, from the loss itself, whose curvature is tested against finite differences elsewhere.
Eigen::MatrixXd curvature_of(const Loss& loss, const Eigen::VectorXd& outputs,
                             std::span<const double> target) {
  const auto count = static_cast<std::size_t>(outputs.size());
  Vector state(loss.curvature_rows(count)), u(count);
  loss.curvature({outputs.data(), count, 1}, {target.data(), target.size(), 1}, 1,
                 {state.data(), state.size(), 1});
  Eigen::MatrixXd h(outputs.size(), outputs.size());
  for (std::size_t k = 0; k < count; ++k) {
    std::fill(u.begin(), u.end(), 0.0);
    u[k] = 1;
    loss.curvature_times({state.data(), state.size(), 1}, 1, {u.data(), count, 1});
    h.col(static_cast<Eigen::Index>(k)) = as_eigen(u);
  }
  return h;
}

// mean over rows of weight J_p' H_p J_p + 2 r I
Eigen::MatrixXd explicit_matrix(const Loss& loss, const Network& network, Block block, const Dataset& data,
                                double l2) {
  const Eigen::MatrixXd j = jacobian(network, block, data);
  const auto outputs = static_cast<Eigen::Index>(network.architecture().outputs);
  const Eigen::VectorXd out = outputs_of(network, data);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(j.cols(), j.cols());
  double total = 0;
  for (std::size_t p = 0; p < data.rows; ++p) {
    const Eigen::Index start = static_cast<Eigen::Index>(p) * outputs;
    const Eigen::MatrixXd rows = j.middleRows(start, outputs);
    const double weight = data.weights.empty() ? 1 : data.weights[p];
    sum +=
        weight * rows.transpose() * curvature_of(loss, out.segment(start, outputs), data.y().row(p)) * rows;
    total += weight;
  }
  return sum / total + 2 * l2 * Eigen::MatrixXd::Identity(j.cols(), j.cols());
}

class GaussNewtonOfEveryLoss : public testing::TestWithParam<LossCase> {};
class GaussNewtonOfSmoothLosses : public GaussNewtonOfEveryLoss {};

// Every way to compute a product: by sensitivities, by passes, with and without a cache, with slopes that must be
// computed again; the output layer alone, with one matrix and without.
TEST_P(GaussNewtonOfEveryLoss, MatchesAnExplicitJacobianAndHessian) {
  const auto loss = GetParam().make();
  Dataset data = data_for(GetParam(), 141);
  data.weights = testing_support::random_weights(141);
  // Nothing kept; activations alone; all that products need.
  const std::size_t activations = (5 + 4) * 2 * 136 * sizeof(double);
  for (const Activation g : {Activation::tanh, Activation::silu})
    for (const std::size_t memory : {std::size_t{0}, activations, std::size_t{1} << 20U}) {
      RowsOnEngine on(data);
      on.leave(memory);
      Network network = network_for(GetParam(), {4, 3}, {.activation = g, .bias = Bias::per_layer});
      Objective objective(network, on.rows, {.l2 = 1e-3, .loss = loss.get()});
      for (const Block block :
           {Block{2, 2}, Block{1, 1}, Block{0, 0}, Block{0, 1}, Block{1, 2}, Block{0, 2}}) {
        BlockObjective f = objective.open(block);
        const auto w = std::as_const(network).weights(block);
        Vector expected(f.size()), v(f.size()), hv(f.size());
        const LocalModel model = f.model();
        EXPECT_NEAR(model.value(), f.value_and_gradient(w, expected), 1e-13);
        for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(model.gradient()[i], expected[i], 1e-13);
        RandomStream random(3);
        for (double& x : v) x = random.uniform(-1, 1);
        model.times(v, hv, 0.25);
        const Eigen::VectorXd exact =
            explicit_matrix(*loss, network, block, data, 1e-3) * as_eigen(v) + 0.25 * as_eigen(v);
        EXPECT_LT((as_eigen(hv) - exact).norm(), 1e-7 * (1 + exact.norm()))
            << to_string(g) << " layers " << block.first << " to " << block.last << " memory " << memory;
      }
    }
}

// Of the output layer this is no approximation: a finite difference of gradients along v.
TEST_P(GaussNewtonOfSmoothLosses, IsTheSecondDerivativeOfTheOutputLayer) {
  const auto loss = GetParam().make();
  const Dataset data = data_for(GetParam(), 141);
  const PackedRows rows(data);
  Network network = network_for(GetParam(), {4, 3});
  Objective objective(network, rows, {.l2 = 1e-3, .loss = loss.get()});
  BlockObjective f = objective.open(network.output_layer());
  Vector x(f.size()), v(f.size()), hv(f.size()), up(f.size()), down(f.size());
  RandomStream random(3);
  for (double& value : x) value = random.uniform(-1, 1);  // not the network's own
  for (double& value : v) value = random.uniform(-1, 1);
  const LocalModel model = f.model_at(x);
  model.times(v, hv);
  constexpr double step = 1e-5;
  Vector moved(x);
  step_to(moved, x, step, v);
  f.value_and_gradient(moved, up);
  step_to(moved, x, -step, v);
  f.value_and_gradient(moved, down);
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(hv[i], (up[i] - down[i]) / (2 * step), 1e-8);
}

// The factors of one row of a single output multiply to the matrix itself; with random probes, their mean over many rows
// is near that of the exact factor.
TEST_P(GaussNewtonOfEveryLoss, SensitivityMomentsAreTheMeanOfSHS) {
  const auto loss = GetParam().make();
  const Dataset data = data_for(GetParam(), 2000);
  const PackedRows rows(data);
  // The input of a bias is 1: the matrix of the biases is the factor itself.
  Network biased = network_for(GetParam(), {4, 3}, {.bias = Bias::per_layer});
  Objective with_biases(biased, rows, {.loss = loss.get()});
  BlockObjective f = with_biases.open({1, 1});
  const LocalModel model = f.model();
  const ConstMatrix moments = model.sensitivity_moments(1);
  const std::size_t bias_row = std::as_const(biased).layer(1).rows() - 1;
  double difference = 0;
  double size = 0;
  for (std::size_t o = 0; o < 3; ++o) {
    Vector v(f.size(), 0.0), hv(f.size());
    v[bias_row * 3 + o] = 1;
    model.times(v, hv);
    for (std::size_t k = 0; k < 3; ++k) {
      difference += std::pow(moments(o, k) - hv[bias_row * 3 + k], 2);
      size += std::pow(hv[bias_row * 3 + k], 2);
    }
  }
  EXPECT_LT(std::sqrt(difference / size), biased.architecture().outputs < 5 ? 1e-12 : 0.1);
}

TEST_P(GaussNewtonOfEveryLoss, HasTheSameBitsForAnyNumberOfThreads) {
  const auto loss = GetParam().make();
  const Dataset data = data_for(GetParam(), 2000);
  const auto run = [&](std::size_t threads) {
    const RowsOnEngine on(data, threads);
    Network network = network_for(GetParam(), {9, 8});
    Objective objective(network, on.rows, {.loss = loss.get()});
    Vector all;
    for (const Block block : {Block{2, 2}, Block{1, 1}, Block{0, 2}}) {
      BlockObjective f = objective.open(block);
      const LocalModel model = f.model();
      Vector hv(f.size());
      model.times(model.gradient(), hv);
      all.insert(all.end(), hv.begin(), hv.end());
      const ConstMatrix last = model.has_gram() ? model.gram() : model.sensitivity_moments(block.last);
      all.insert(all.end(), last.data(), last.data() + last.size());
    }
    return all;
  };
  EXPECT_EQ(run(1), run(3));
}

// Those whose curvature is the second derivative itself.
std::vector<LossCase> smooth_cases() {
  std::vector<LossCase> cases = loss_cases();
  std::erase_if(cases, [](const LossCase& c) { return c.loss == "huber" || c.loss == "quantile"; });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(GaussNewton, GaussNewtonOfSmoothLosses, testing::ValuesIn(smooth_cases()),
                         [](const auto& instance) { return instance.param.name; });
INSTANTIATE_TEST_SUITE_P(GaussNewton, GaussNewtonOfEveryLoss, testing::ValuesIn(loss_cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(GaussNewton, KroneckerFactorsAreTheMomentsTheyClaimToBe) {
  // With one sample the Kronecker product of the two factors is the Gauss-Newton matrix itself.
  const Dataset data = smooth_data(1, 3);
  Network network = random_network({.inputs = 3, .hidden = {4, 5}});
  const PackedRows rows(data);
  Objective objective(network, rows, {});
  for (std::size_t l = 0; l < 2; ++l) {
    BlockObjective f = objective.open({l, l});
    Vector v(f.size()), hv(f.size());
    const LocalModel model = f.model();
    RandomStream random(3);
    for (double& x : v) x = random.uniform(-1, 1);
    model.times(v, hv);
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto map = [](ConstMatrix m) {
      return Eigen::Map<const RowMajor>(m.data(), static_cast<Eigen::Index>(m.rows()),
                                        static_cast<Eigen::Index>(m.columns()));
    };
    const ConstMatrix w = std::as_const(network).layer(l);
    const RowMajor product = map(model.input_moments(l).first_part()) *
                             map({v.data(), w.rows(), w.columns()}) * map(model.sensitivity_moments(l));
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
    Vector hv(f.size());
    const LocalModel model = f.model();
    model.times(model.gradient(), hv);
    hv.insert(hv.end(), model.gradient().begin(), model.gradient().end());
    const ConstMatrix moments = model.input_moments(1).first_part();
    hv.insert(hv.end(), moments.data(), moments.data() + moments.size());
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
        Vector hv(f.size()), again(f.size());
        const LocalModel model = f.model();
        model.times(model.gradient(), hv);
        model.times(hv, again);
        again.insert(again.end(), model.gradient().begin(), model.gradient().end());
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
      const LocalModel model = here.model();
      const LocalModel anew = there.model();
      EXPECT_EQ(model.value(), anew.value());
      EXPECT_TRUE(std::ranges::equal(model.gradient(), anew.gradient()));
      Vector product(here.size()), expected(here.size());
      model.times(model.gradient(), product);
      anew.times(model.gradient(), expected);
      EXPECT_EQ(product, expected);
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

TEST(GaussNewton, IsTheFunctionItselfForTheOutputLayerAlone) {
  const Dataset data = smooth_data(10, 3);
  Network network = random_network({.inputs = 3, .hidden = {4, 5}});
  const PackedRows rows(data);
  Objective objective(network, rows, {});
  EXPECT_FALSE(objective.open({0, 0}).model().is_exact());
  EXPECT_FALSE(objective.open({0, 1}).model().is_exact());
  EXPECT_FALSE(objective.open({1, 2}).model().is_exact());
  EXPECT_TRUE(objective.open({2, 2}).model().is_exact());
}

}  // namespace
}  // namespace strata
