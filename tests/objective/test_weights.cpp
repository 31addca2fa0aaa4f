// Weights of rows: a weight of k is the row k times, and everything the objective computes agrees on that.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "strata/core/errors.h"
#include "strata/objective/objective.h"
#include "support/engines.h"
#include "support/networks.h"

namespace strata {
namespace {

using testing_support::gradient_error;
using testing_support::random_network;
using testing_support::random_weights;
using testing_support::repeated;
using testing_support::RowsOnEngine;
using testing_support::smooth_data;

void append(Vector& all, ConstMatrix m) { all.insert(all.end(), m.data(), m.data() + m.size()); }

// Values, gradients of every kind of block, quadratic form, Gauss-Newton model and its products: one vector for each.
std::vector<Vector> everything(const PackedRows& rows, const ObjectiveOptions& options) {
  Network network = random_network({.inputs = 3, .hidden = {6, 5}, .outputs = 2, .bias = Bias::per_layer});
  Objective objective(network, rows, options);
  std::vector<Vector> all{{objective.value()}};
  for (const Block block : {Block{0, 2}, Block{0, 0}, Block{1, 1}, Block{2, 2}, Block{1, 2}}) {
    BlockObjective f = objective.open(block);
    const auto w = std::as_const(network).weights(block);
    Vector gradient(f.size()), product(f.size());
    all.push_back({f.value(w), f.value_and_gradient(w, gradient), f.gradient(w, gradient).loss});
    all.push_back(gradient);
    const LocalModel model = f.model();
    all.push_back({model.value()});
    all.emplace_back(model.gradient().begin(), model.gradient().end());
    model.times(w, product);
    all.push_back(product);
    if (!model.has_gram()) {
      append(all.emplace_back(), model.input_moments(block.first).first_part());
      append(all.emplace_back(), model.sensitivity_moments(block.first));
    }
    if (model.is_exact()) {
      append(all.emplace_back(), model.gram());
      all.push_back({f.value_and_gradient(w, gradient)});
      all.push_back(gradient);
    }
  }
  return all;
}

std::vector<Vector> everything(const Dataset& data, const ObjectiveOptions& options) {
  return everything(PackedRows(data), options);
}

// Largest distance between two vectors, relative to the length of the second.
double disagreement(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    Vector difference(a[k]);
    add_scaled(difference, -1, b[k]);
    worst = std::max(worst, norm(difference) / norm(b[k]));
  }
  return worst;
}

const ObjectiveOptions option_sets[] = {{.l2 = 1e-3}, {.l2 = 1e-3, .kernels = KernelSet::reference}};

TEST(Weights, WholeNumbersAreRepetitions) {
  Dataset data = smooth_data(141, 3, 2);  // two panels, the second with padding
  for (std::size_t p = 0; p < data.rows; ++p)
    data.weights.push_back(static_cast<double>(p * p % 5));  // 0 1 4 4 1
  const Dataset copies = repeated(data, data.weights);
  ASSERT_GT(copies.rows, 256U);
  for (const ObjectiveOptions& options : option_sets)
    EXPECT_LT(disagreement(everything(data, options), everything(copies, options)), 1e-12);
  EXPECT_EQ(everything(RowsOnEngine(data).leave(0).rows, {}), everything(data, {}));
}

TEST(Weights, AreSeenByEveryNumberOfTheComparison) {
  Dataset data = smooth_data(141, 3, 2);
  const auto without = everything(data, {});
  data.weights = random_weights(141);
  const auto with = everything(data, {});
  for (std::size_t k = 0; k < with.size(); ++k) EXPECT_GT(disagreement({with[k]}, {without[k]}), 1e-6) << k;
}

TEST(Weights, ARowOfWeightZeroIsNotThere) {
  Dataset data = smooth_data(141, 3, 2);
  data.weights.assign(141, 1.0);
  for (const std::size_t p : {0, 7, 128, 140}) {
    data.weights[p] = 0;
    for (double& y : data.y().row(p)) y = 1e6;  // would not go unnoticed
  }
  const Dataset others = repeated(data, data.weights);
  EXPECT_LT(disagreement(everything(data, {}), everything(others, {})), 1e-12);
}

TEST(Weights, ScaleDoesNotMatter) {
  Dataset data = smooth_data(141, 3, 2);
  data.weights = random_weights(141);
  const auto expected = everything(data, {});
  Dataset scaled(data);
  for (double& w : scaled.weights) w *= 0x1p-20;
  EXPECT_EQ(everything(scaled, {}), expected);
  for (double& w : scaled.weights) w *= 3e7;
  EXPECT_LT(disagreement(everything(scaled, {}), expected), 1e-12);
}

TEST(Weights, EqualOnesHaveTheBitsOfNone) {
  Dataset data = smooth_data(141, 3, 2);
  const auto expected = everything(data, {});
  data.weights.assign(141, 4.0);
  EXPECT_EQ(everything(data, {}), expected);
}

TEST(Weights, SameBitsForAnyNumberOfThreads) {
  Dataset data = smooth_data(2003, 3, 2);
  data.weights = random_weights(2003);
  const auto one = everything(data, {});
  for (const std::size_t threads : {2, 3}) EXPECT_EQ(everything(RowsOnEngine(data, threads).rows, {}), one);
}

TEST(Weights, GradientOfEachBlockMatchesFiniteDifferences) {
  Dataset data = smooth_data(37, 4);
  data.weights = random_weights(37);
  Network network = random_network({.inputs = 4, .hidden = {7, 5}});
  const PackedRows rows(data);
  Objective objective(network, rows, {.l2 = 1e-3});
  for (const Block block : {Block{0, 0}, Block{1, 1}, Block{2, 2}, Block{0, 2}}) {
    BlockObjective f = objective.open(block);
    EXPECT_LT(gradient_error(f, network.weights(block)), 1e-6) << block.first;
  }
}

// What SVRG and SAGA rely on: the batches' functions have the whole one as their mean.
TEST(Weights, BatchesAverageToTheWhole) {
  Dataset data = smooth_data(300, 3);
  data.weights = random_weights(300);
  for (std::size_t p = 0; p < 50; ++p) data.weights[p] = 0;  // one batch without any weight
  const PackedRows all(data);
  PackedRows rows(serial_engine());
  std::vector<std::size_t> order(300);
  std::iota(order.begin(), order.end(), std::size_t{0});
  rows.pack(all, order, 50);
  Network network = random_network({.inputs = 3, .hidden = {5}});
  Objective objective(network, rows, {});
  Vector whole(network.size()), part(network.size()), sum(network.size(), 0.0);
  const double value = objective.value_and_gradient(whole);
  double mean = 0;
  for (std::size_t b = 0; b < 6; ++b) {
    objective.select(rows.batch(b));
    const double of_batch = objective.value_and_gradient(part);
    if (b == 0) {
      EXPECT_EQ(of_batch, 0);
    }
    mean += of_batch / 6;
    add_scaled(sum, 1.0 / 6, part);
  }
  EXPECT_NEAR(mean, value, 1e-14);
  for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i], whole[i], 1e-14);
}

TEST(Weights, PackingRowsWithoutThemForgetsThem) {
  Dataset data = smooth_data(20, 3);
  data.weights = random_weights(20);
  const std::vector<std::size_t> order{3, 1};
  PackedRows rows(serial_engine());
  rows.pack(PackedRows(data), order, 2);
  EXPECT_TRUE(rows.weighted());
  data.weights.clear();
  rows.pack(PackedRows(data), order, 2);
  EXPECT_FALSE(rows.weighted());
  EXPECT_TRUE(rows.weights(0).empty());
}

std::string refusal(const Vector& weights) {
  Dataset data = smooth_data(3, 2);
  data.weights = weights;
  try {
    const PackedRows rows(data);
  } catch (const InvalidOption& error) {
    return error.what();
  }
  return "";
}

TEST(Weights, ThatMakeNoMeanAreRefusedInOneSentence) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal({1, 2, 3}), "");
  EXPECT_EQ(refusal({1, 2}),
            "option 'weights' = '2 numbers': the data have 3 rows; give one weight for each, or none");
  EXPECT_EQ(refusal({1, -2, 3}), "option 'weights' = '-2': give row 2 a finite weight, 0 or more");
  EXPECT_EQ(refusal({1, 2, inf}), "option 'weights' = 'inf': give row 3 a finite weight, 0 or more");
  EXPECT_EQ(refusal({std::numeric_limits<double>::quiet_NaN(), 2, 3}),
            "option 'weights' = 'nan': give row 1 a finite weight, 0 or more");
  EXPECT_EQ(refusal({0, 0, 0}),
            "option 'weights' = 'a sum of 0': give some rows a positive weight of moderate size");
  EXPECT_EQ(refusal({1e308, 1e308, 0}),
            "option 'weights' = 'a sum of inf': give some rows a positive weight of moderate size");
}

}  // namespace
}  // namespace strata
