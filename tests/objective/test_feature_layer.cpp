// A first layer with tables is a dense layer on rows that spell out what a number touches.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "strata/core/errors.h"
#include "strata/objective/objective.h"
#include "support/columns.h"
#include "support/engines.h"
#include "support/losses.h"

namespace strata {
namespace {

using testing_support::as_dense;
using testing_support::columns_with_a_sum;
using testing_support::data_in_columns;
using testing_support::gradient_error;
using testing_support::mixed_columns;
using testing_support::random_network;
using testing_support::random_weights;
using testing_support::RowsOnEngine;

struct Twins {
  Twins(std::size_t many, std::size_t rows, std::size_t outputs, Bias bias, bool weighted,
        Activation activation = Activation::sigmoid)
      : columns(columns_with_a_sum(many)), data(data_in_columns(columns, rows, outputs)) {
    if (weighted) data.weights = random_weights(rows);
    spelled_out = as_dense(columns, data);
    Architecture architecture{.inputs = data.features(),
                              .hidden = {19, 4},
                              .outputs = outputs,
                              .activation = activation,
                              .bias = bias,
                              .columns = columns};
    tables.emplace(random_network(architecture));
    architecture.inputs = spelled_out.features();
    architecture.columns.clear();
    dense.emplace(architecture);
    std::ranges::copy(std::as_const(*tables).weights(), dense->weights().begin());
  }
  std::vector<ColumnBasis> columns;
  Dataset data, spelled_out;
  std::optional<Network> tables, dense;
};

double relative_difference(std::span<const double> a, std::span<const double> b) {
  Vector difference(a.size());
  step_to(difference, a, -1, b);
  return norm(difference) / (norm(a) + 1e-300);
}

void expect_twins_to_agree(Twins& twins, const ObjectiveOptions& options, double tolerance) {
  const PackedRows rows(twins.data), dense_rows(twins.spelled_out);
  Objective tables(*twins.tables, rows, options), dense(*twins.dense, dense_rows, options);
  EXPECT_NEAR(tables.value(), dense.value(), tolerance * dense.value());
  for (const Block block : {Block{0, 0}, Block{0, 1}, Block{0, 2}, Block{1, 1}, Block{2, 2}}) {
    SCOPED_TRACE(testing::Message() << "block " << block.first << ".." << block.last);
    BlockObjective f = tables.open(block), g = dense.open(block);
    const auto w = std::as_const(*twins.tables).weights(block);
    Vector a(f.size()), b(f.size());
    f.value_and_gradient(w, a);
    g.value_and_gradient(w, b);
    EXPECT_LE(relative_difference(a, b), tolerance);
    const LocalModel of_tables = f.model(), of_dense = g.model();
    EXPECT_LE(relative_difference(of_tables.gradient(), of_dense.gradient()), tolerance);
    of_tables.times(w, a);
    of_dense.times(w, b);
    EXPECT_LE(relative_difference(a, b), tolerance);
    if (of_tables.has_gram()) continue;
    const ConstMatrix sensitivities = of_tables.sensitivity_moments(block.last);
    EXPECT_LE(relative_difference({sensitivities.data(), sensitivities.size()},
                                  {of_dense.sensitivity_moments(block.last).data(), sensitivities.size()}),
              tolerance);
    if (block.first > 0) continue;
    const InputMoments moments = of_tables.input_moments(0);
    const ConstMatrix all = of_dense.input_moments(0).first_part();
    const double scale = tolerance * norm({all.data(), all.size()});
    const double* value = moments.values;
    for (const auto& part : moments.parts->dense)
      for (const std::size_t i : part)
        for (const std::size_t j : part) EXPECT_NEAR(*value++, all(i, j), scale) << i << " " << j;
    for (const std::size_t i : moments.parts->single) EXPECT_NEAR(*value++, all(i, i), scale) << i;
  }
}

TEST(FeatureLayer, IsADenseLayerOnWhatItsColumnsTouch) {
  for (const std::size_t many : {7, 90})         // moments in one matrix, or apart
    for (const std::size_t outputs : {1, 2, 6})  // products by sensitivities and by passes
      for (const Bias bias : {Bias::per_layer, Bias::none})
        for (const bool weighted : {false, true}) {
          SCOPED_TRACE(testing::Message() << many << " categories, " << outputs << " outputs, "
                                          << to_string(bias) << (weighted ? ", weighted" : ""));
          Twins twins(many, 300, outputs, bias, weighted);
          expect_twins_to_agree(twins, {.l2 = 1e-3}, 1e-12);
          expect_twins_to_agree(twins, {.l2 = 1e-3, .kernels = KernelSet::reference}, 1e-12);
          expect_twins_to_agree(twins, {.l2 = 1e-3, .precision = Precision::float32}, 1e-5);
        }
}

TEST(FeatureLayer, IsADenseLayerForEveryActivation) {
  for (const Activation activation :
       {Activation::linear, Activation::tanh, Activation::relu, Activation::leaky_relu, Activation::elu,
        Activation::softplus, Activation::silu}) {
    SCOPED_TRACE(to_string(activation));
    for (const std::size_t outputs : {1, 6}) {
      Twins twins(7, 150, outputs, Bias::per_layer, false, activation);
      expect_twins_to_agree(twins, {.l2 = 1e-3}, 1e-12);
    }
  }
}

TEST(FeatureLayer, GradientMatchesFiniteDifferencesInEveryBlock) {
  Twins twins(7, 60, 1, Bias::per_layer, true);
  const PackedRows rows(twins.data);
  Objective objective(*twins.tables, rows, {.l2 = 1e-2});
  for (const Block block : {Block{0, 0}, Block{0, 1}, Block{0, 2}, Block{1, 2}}) {
    BlockObjective f = objective.open(block);
    EXPECT_LE(gradient_error(f, std::as_const(*twins.tables).weights(block)), 1e-6);
  }
}

TEST(FeatureLayer, PredictsWhatTrainingComputes) {
  Twins twins(7, 200, 2, Bias::per_layer, false);
  Vector tables(400), dense(400);
  const auto predict = [](const Network& network, const Dataset& data, Vector& to) {
    const Vector rows = feature_rows(data);
    network.predict({rows.data(), data.rows, data.features()}, {to.data(), data.rows, 2});
  };
  predict(*twins.tables, twins.data, tables);
  predict(*twins.dense, twins.spelled_out, dense);
  EXPECT_LE(relative_difference(tables, dense), 1e-13);
}

TEST(FeatureLayer, GivesTheSameBitsWithoutMemoryForACache) {
  Twins twins(90, 700, 1, Bias::per_layer, false);
  const auto product = [&](bool starved) {
    RowsOnEngine rows(twins.data, 2);
    if (starved) rows.leave(1000);
    Objective objective(*twins.tables, rows.rows, {.l2 = 1e-3});
    BlockObjective f = objective.open({0, 0});
    const LocalModel model = f.model();
    Vector v(model.gradient().begin(), model.gradient().end()), hv(v.size());
    model.times(v, hv);
    return hv;
  };
  EXPECT_EQ(product(false), product(true));
}

TEST(FeatureLayer, KeepsManyCategoriesOutOfDenseMoments) {
  const Architecture architecture{.inputs = 5, .hidden = {3}, .columns = mixed_columns(10000)};
  EXPECT_LE(moment_parts(architecture, 0).size(), 10000U + 20U * 20U);
}

TEST(FeatureLayer, RefusesDescriptionsThatCannotBeUsed) {
  const auto refused = [](std::vector<ColumnBasis> columns, std::vector<std::size_t> hidden = {3}) {
    EXPECT_THROW(Network({.inputs = 1, .hidden = std::move(hidden), .columns = std::move(columns)}),
                 InvalidOption);
  };
  using Kind = ColumnBasis::Kind;
  refused({{}, {}});
  refused({{.kind = Kind::piecewise}});
  refused({{.kind = Kind::piecewise, .knots = {1}}});
  refused({{.kind = Kind::piecewise, .knots = {1, 1}}});
  refused({{.kind = Kind::piecewise, .knots = {0, std::numeric_limits<double>::infinity()}}});
  refused({{.kind = Kind::category}});
  refused({{.kind = Kind::scaled, .categories = 2}});
  refused({{.kind = Kind::category, .categories = 2}}, {});
}

}  // namespace
}  // namespace strata
