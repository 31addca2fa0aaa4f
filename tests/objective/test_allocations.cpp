#include <gtest/gtest.h>

#include "strata/objective/objective.h"
#include "support/allocation_counter.h"
#include "support/engines.h"
#include "support/networks.h"

namespace strata {
namespace {

using test::allocations_of;
using testing_support::random_network;
using testing_support::RowsOnEngine;
using testing_support::smooth_data;

// A block: open, values, gradients, commit. Everything it needs was prepared by the first round.
void one_round(Objective& objective, Network& network, Block block, Vector& gradient,
               std::span<double> product) {
  BlockObjective f = objective.open(block);
  const auto g = std::span(gradient).first(f.size());
  const auto weights = network.weights(block);
  f.value(weights);
  f.value_and_gradient(weights, g);
  f.gradient(weights, g);
  const LocalModel model = f.model();
  model.times(g, product.first(f.size()));
  std::ranges::copy(model.gradient(), g.begin());
  add_scaled(weights, -0.01, g);
  f.try_weights(weights);
  objective.commit(block, weights);
}

struct Evaluation {
  ObjectiveOptions options;
  bool weighted = false;
  std::size_t threads = 1;
  bool memory = true;  // for what may be kept
};
class EvaluationAllocations : public testing::TestWithParam<Evaluation> {};

TEST_P(EvaluationAllocations, NoEvaluationOfABlockOrOfTheNetworkAllocatesAfterTheFirstRound) {
  Dataset data = smooth_data(700, 3, 2);
  if (GetParam().weighted) data.weights = testing_support::random_weights(700);
  RowsOnEngine on(data, GetParam().threads);
  if (!GetParam().memory) on.leave(0);
  Network network =
      random_network({.inputs = 3, .hidden = {6, 5, 4}, .outputs = 2, .activation = Activation::silu});
  Objective objective(network, on.rows, GetParam().options);
  Vector gradient(network.size()), product(network.size());
  const auto round = [&] {
    for (const Block block : {Block{3, 3}, Block{2, 2}, Block{1, 2}, Block{0, 0}, Block{0, 3}})
      one_round(objective, network, block, gradient, product);
    objective.value();
    objective.value_and_gradient(gradient);
  };
  round();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(allocations_of(round), 0U);
}

INSTANTIATE_TEST_SUITE_P(Objective, EvaluationAllocations,
                         testing::Values(Evaluation{{.l2 = 1e-3}}, Evaluation{{.l2 = 1e-3}, false, 3},
                                         Evaluation{{}, false, 1, false},
                                         Evaluation{{.kernels = KernelSet::reference}},
                                         Evaluation{{.l2 = 1e-3}, true},
                                         Evaluation{{.precision = Precision::float32}, true}));

TEST(ObjectiveAllocations, SelectingBatchesOfOnePartitionAllocatesNothingAfterTheFirstPass) {
  Dataset data = smooth_data(300, 3);
  data.weights = testing_support::random_weights(300);
  const PackedRows all(data);
  PackedRows rows(serial_engine());
  const auto order = RandomStream(3).permutation(300);
  rows.pack(all, order, 32);
  Network network = random_network({.inputs = 3, .hidden = {6, 5}});
  Objective objective(network, rows, {});
  Vector gradient(network.size()), product(network.size());
  const auto pass = [&] {
    for (std::size_t b = 0; b < rows.batches(); ++b) {
      objective.select(rows.batch(b));
      for (const Block block : {Block{2, 2}, Block{1, 1}, Block{0, 0}})
        one_round(objective, network, block, gradient, product);
    }
  };
  pass();
  EXPECT_EQ(allocations_of(pass), 0U);
  EXPECT_EQ(allocations_of([&] { rows.pack(all, order, 32); }), 0U);
}

}  // namespace
}  // namespace strata
