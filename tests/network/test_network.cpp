#include "strata/network/network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "strata/core/errors.h"

namespace strata {
namespace {

TEST(Network, CountsWeightsAsThePaperDoes) {
  // Table 1 of the paper: features with the constant input, no other bias.
  const auto count = [](std::size_t features, std::vector<std::size_t> hidden) {
    return Network({.inputs = features - 1, .hidden = std::move(hidden), .bias = Bias::input}).size();
  };
  EXPECT_EQ(count(13, {50}), 700U);
  EXPECT_EQ(count(13, {20, 20, 20}), 1080U);
  EXPECT_EQ(count(59, {200, 50, 200}), 32000U);
  EXPECT_EQ(count(5, {50, 50, 50, 50, 50}), 10300U);
  EXPECT_EQ(count(9, std::vector<std::size_t>(10, 50)), 23000U);
}

TEST(Network, BlocksAreViewsOfOneBuffer) {
  Network network({.inputs = 3, .hidden = {4, 2}, .bias = Bias::per_layer});
  EXPECT_EQ(network.size(), 4 * 4 + 5 * 2 + 3U);
  EXPECT_EQ(network.weights({1, 2}).data(), network.weights().data() + 16);
  EXPECT_EQ(network.weights({1, 2}).size(), 13U);
  network.layer(1)(4, 1) = 7;
  EXPECT_EQ(network.weights({1, 1}).back(), 7);
  EXPECT_EQ(network.weights(network.whole()).size(), network.size());
}

TEST(Network, PredictsWhatTheFormulaSays) {
  Network network({.inputs = 2, .hidden = {3, 2}, .outputs = 2, .activation = Activation::tanh});
  initialise(network, {.kind = Initialisation::normal}, RandomStream(3));
  constexpr std::size_t rows = 300;  // more than two panels and a tail
  Vector x(rows * 2);
  RandomStream random(4);
  for (double& v : x) v = random.uniform(-2, 2);
  Vector out(rows * 2);
  network.predict({x.data(), rows, 2}, {out.data(), rows, 2});
  for (std::size_t p = 0; p < rows; ++p) {
    std::vector<double> z{x[2 * p], x[2 * p + 1]};
    for (std::size_t l = 0; l < 3; ++l) {
      z.push_back(1);  // bias
      std::vector<double> next(network.layer(l).columns(), 0.0);
      for (std::size_t o = 0; o < next.size(); ++o) {
        for (std::size_t k = 0; k < z.size(); ++k) next[o] += network.layer(l)(k, o) * z[k];
        if (l < 2) next[o] = std::tanh(next[o]);
      }
      z = next;
    }
    EXPECT_NEAR(out[2 * p], z[0], 1e-13);
    EXPECT_NEAR(out[2 * p + 1], z[1], 1e-13);
  }
}

// Weights for the usual bend and straight lines are others, but for the slope, and mean the same functions.
TEST(Network, KeepsItsFunctionsWithTheUsualWeights) {
  Architecture architecture{.inputs = 2, .hidden = {3}};
  architecture.columns = {{.kind = ColumnBasis::Kind::piecewise, .knots = {-1, 0, 0.5, 2}, .missing = true},
                          {.kind = ColumnBasis::Kind::category, .categories = 2}};
  architecture.bend = 0.025;
  Network network(architecture);
  initialise(network, {.kind = Initialisation::normal}, RandomStream(4));
  const Network other = with_usual_weights(network);
  EXPECT_EQ(other.architecture().bend, usual_bend);
  for (std::size_t row = 0; row < network.layer(0).rows(); ++row) {
    const bool step = row < 4 && row != 2;  // the slope is in the middle row
    EXPECT_NEAR(other.layer(0)(row, 1), network.layer(0)(row, 1) * (step ? 0.25 : 1), 1e-15) << row;
  }
  for (const double x : {-3.0, -0.3, 0.7, 5.0}) {
    const Vector inputs{x, 1};
    double one = 0, two = 0;
    network.predict({inputs.data(), 1, 2}, {&one, 1, 1});
    other.predict({inputs.data(), 1, 2}, {&two, 1, 1});
    EXPECT_NEAR(one, two, 1e-13) << x;
  }
}

TEST(Network, KeepsItsFunctionsWithStraightLines) {
  Architecture architecture{.inputs = 1, .hidden = {3}};
  architecture.columns = {
      {.kind = ColumnBasis::Kind::piecewise, .knots = {-1, 0, 0.5, 2}, .line = {-3, 0.2, 0.5, 0.7}}};
  architecture.bend = 0.3;
  Network network(architecture);
  initialise(network, {.kind = Initialisation::normal}, RandomStream(4));
  const Network other = with_usual_weights(network);
  EXPECT_TRUE(other.architecture().columns[0].line.empty());
  for (const double x : {-3.0, -0.3, 0.2, 0.7, 5.0}) {
    double one = 0, two = 0;
    network.predict({&x, 1, 1}, {&one, 1, 1});
    other.predict({&x, 1, 1}, {&two, 1, 1});
    EXPECT_NEAR(one, two, 1e-13) << x;
  }
}

TEST(Network, SeveralActivationsOnePerHiddenLayer) {
  Network network({.inputs = 1,
                   .hidden = {1, 1},
                   .activations = {Activation::relu, Activation::silu},
                   .bias = Bias::none});
  for (double& w : network.weights()) w = 1;
  const double x = 2;
  double y = 0;
  network.predict({&x, 1, 1}, {&y, 1, 1});
  EXPECT_NEAR(y, 2 / (1 + std::exp(-2.0)), 1e-15);
}

TEST(Initialise, DrawsFromTheRequestedDistribution) {
  Network network({.inputs = 200, .hidden = {300}, .bias = Bias::per_layer});
  const auto moments = [&network](std::size_t l) {
    double sum = 0, squares = 0, largest = 0;
    const ConstMatrix w = network.layer(l);
    for (std::size_t k = 0; k + 1 < w.rows(); ++k)
      for (const double v : w.row(k)) {
        sum += v;
        squares += v * v;
        largest = std::max(largest, std::abs(v));
      }
    const double n = static_cast<double>((w.rows() - 1) * w.columns());
    return std::tuple(sum / n, squares / n, largest);
  };
  initialise(network, {.kind = Initialisation::uniform, .scale = 0.5}, RandomStream(1));
  EXPECT_NEAR(std::get<1>(moments(0)), 0.25 / 3, 0.002);
  EXPECT_LT(std::get<2>(moments(0)), 0.5);
  EXPECT_NE(network.layer(0)(200, 0), 0);
  initialise(network, {.kind = Initialisation::glorot}, RandomStream(1));
  EXPECT_NEAR(std::get<1>(moments(0)), 2.0 / 500, 1e-4);
  EXPECT_EQ(network.layer(0)(200, 0), 0);
  initialise(network, {.kind = Initialisation::he}, RandomStream(1));
  EXPECT_NEAR(std::get<1>(moments(0)), 2.0 / 200, 3e-4);
  initialise(network, {.kind = Initialisation::normal, .scale = 2}, RandomStream(1));
  EXPECT_NEAR(std::get<1>(moments(0)), 4, 0.1);
}

TEST(Architecture, RefusesWhatCannotWork) {
  EXPECT_THROW(Network({.inputs = 0}), InvalidOption);
  EXPECT_THROW(Network({.inputs = 2, .hidden = {3, 0}}), InvalidOption);
  EXPECT_THROW(Network({.inputs = 2, .hidden = {3}, .outputs = 0}), InvalidOption);
  EXPECT_THROW(Network({.inputs = 2, .hidden = {3, 3}, .activations = {Activation::relu}}), InvalidOption);
  EXPECT_THROW(bias_from("maybe"), InvalidOption);
  EXPECT_THROW(initialisation_from("ones"), InvalidOption);
}

}  // namespace
}  // namespace strata
