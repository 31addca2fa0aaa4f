// What the objective keeps, counted by the tests' own operator new and not by the budget that it is to respect.
#include <gtest/gtest.h>

#include "strata/objective/objective.h"
#include "support/allocation_counter.h"
#include "support/engines.h"
#include "support/networks.h"

namespace strata {
namespace {

using test::peak_bytes_of;
using testing_support::random_network;
using testing_support::smooth_data;

constexpr std::size_t mega = 1'000'000;
constexpr std::size_t outputs = 4;  // few enough for sensitivities

// Rows, activations, those of a trial, sensitivities for four outputs: with memory enough, about 13, 17, 17 and 66 MB.
void visit_every_layer(const Dataset& data, std::size_t memory, Precision precision) {
  Engine engine({.memory = memory});
  const PackedRows rows(data, engine);
  Network network = random_network({.inputs = 5, .hidden = {20, 20, 20}, .outputs = outputs});
  Objective objective(network, rows, {.precision = precision});
  for (const Block block : {Block{2, 2}, Block{1, 1}, Block{0, 0}, Block{0, 3}}) {
    BlockObjective f = objective.open(block);
    Vector product(f.size());
    const LocalModel model = f.model();
    model.times(model.gradient(), product);
    step_to(product, network.weights(block), -1e-3, model.gradient());
    f.try_weights(product);
    objective.commit(block, product);
  }
}

TEST(Memory, OfRowsCachesAndSensitivitiesTogetherStaysWithinTheBudget) {
  const Dataset data = smooth_data(32'000, 5, outputs);
  // What does not grow with the rows: a workspace, sums of 64 shards.
  const std::size_t fixed = peak_bytes_of([&] {
    visit_every_layer(smooth_data(64 * PackedRows::panel_rows, 5, outputs), 3 * mega, Precision::float64);
  });
  EXPECT_LT(fixed, 8 * mega);
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    for (const std::size_t memory : {16 * mega, 20 * mega, 30 * mega}) {
      const std::size_t peak = peak_bytes_of([&] { visit_every_layer(data, memory, precision); });
      EXPECT_LE(peak, memory + fixed) << memory;
    }
    const std::size_t unbounded = peak_bytes_of([&] { visit_every_layer(data, 1000 * mega, precision); });
    EXPECT_GT(unbounded, 30 * mega + fixed);  // the budgets above were of use
  }
}

}  // namespace
}  // namespace strata
