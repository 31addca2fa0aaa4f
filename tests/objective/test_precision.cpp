// Passes in single precision against the same in double.
#include <gtest/gtest.h>

#include <utility>

#include "strata/objective/objective.h"
#include "support/engines.h"
#include "support/networks.h"

namespace strata {
namespace {

using testing_support::random_network;
using testing_support::random_weights;
using testing_support::RowsOnEngine;
using testing_support::smooth_data;

// All that a method may ask of an objective and of a block, one after the other.
Vector answers(Network network, const PackedRows& rows, Block block, ObjectiveOptions options,
               Precision precision) {
  options.l2 = 1e-3;
  options.precision = precision;
  Objective objective(network, rows, options);
  BlockObjective f = objective.open(block);
  const Vector w(network.weights(block).begin(), network.weights(block).end());
  Vector gradient(f.size()), hv(f.size()), all;
  all.push_back(f.value_and_gradient(w, gradient));
  all.insert(all.end(), gradient.begin(), gradient.end());
  const LocalModel model = f.model();
  all.push_back(model.value());
  all.insert(all.end(), model.gradient().begin(), model.gradient().end());
  model.times(model.gradient(), hv);
  all.insert(all.end(), hv.begin(), hv.end());
  if (!model.has_gram()) {
    for (std::size_t l = block.first; l <= block.last; ++l)
      for (const ConstMatrix moments : {model.input_moments(l).first_part(), model.sensitivity_moments(l)})
        all.insert(all.end(), moments.data(), moments.data() + moments.size());
  } else {
    all.insert(all.end(), model.gram().data(), model.gram().data() + model.gram().size());
    all.push_back(f.value_and_gradient(w, gradient));
    all.insert(all.end(), gradient.begin(), gradient.end());
  }
  Vector trial(f.size());
  step_to(trial, w, 0.1, Vector(f.size(), 1.0));
  all.push_back(f.try_weights(trial));
  objective.commit(block, trial);
  all.push_back(objective.value());
  return all;
}

double distance(const Vector& a, const Vector& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]) / (1 + std::abs(b[i])));
  return worst;
}

constexpr Block blocks[] = {{3, 3}, {2, 2}, {0, 0}, {1, 2}, {0, 3}};
constexpr double rounding = 3e-6;  // some fifty units in the last place of single precision

TEST(SinglePrecision, AgreesWithDoubleUpToRounding) {
  for (const Activation g : {Activation::sigmoid, Activation::tanh, Activation::silu, Activation::gaussian})
    for (const Bias bias : {Bias::none, Bias::input, Bias::per_layer})
      for (const std::size_t outputs : {1, 2}) {
        const Network network = random_network(
            {.inputs = 3, .hidden = {5, 4, 6}, .outputs = outputs, .activation = g, .bias = bias});
        Dataset data = smooth_data(141, 3, outputs);  // two panels, the second with padding
        for (const Vector& weights : {Vector{}, random_weights(141)}) {
          data.weights = weights;
          // Memory for activations, and for no more than the inputs in single precision.
          for (const std::size_t memory : {std::size_t{1} << 20U, 4 * 2 * 144 * sizeof(float)})
            for (const Block block : blocks) {
              RowsOnEngine on(data);
              on.leave(memory);
              const Vector exact = answers(network, on.rows, block, {}, Precision::float64);
              const Vector rounded = answers(network, on.rows, block, {}, Precision::float32);
              EXPECT_LT(distance(rounded, exact), rounding)
                  << to_string(g) << " " << to_string(bias) << " layers " << block.first << " to "
                  << block.last;
              EXPECT_GT(distance(rounded, exact), 0);  // it is another computation
            }
        }
      }
}

TEST(SinglePrecision, PlainAndFastEnginesAgree) {
  const Network network = random_network({.inputs = 3, .hidden = {5, 4, 6}});
  const PackedRows rows(smooth_data(141, 3));
  for (const Block block : blocks)
    EXPECT_LT(distance(answers(network, rows, block, {}, Precision::float32),
                       answers(network, rows, block, {.kernels = KernelSet::reference}, Precision::float32)),
              rounding);
}

TEST(SinglePrecision, SameBitsForAnyNumberOfThreads) {
  const Network network = random_network({.inputs = 4, .hidden = {9, 8, 7}});
  const RowsOnEngine one(smooth_data(2000, 4)), two(smooth_data(2000, 4), 2), three(smooth_data(2000, 4), 3);
  for (const Block block : blocks) {
    const Vector expected = answers(network, one.rows, block, {}, Precision::float32);
    EXPECT_EQ(expected, answers(network, two.rows, block, {}, Precision::float32));
    EXPECT_EQ(expected, answers(network, three.rows, block, {}, Precision::float32));
  }
}

// Z'Z is solved with. Rounded activations have errors that average out over the rows; rounded sums would not.
TEST(SinglePrecision, SumsProductsOfTheOutputLayerInDouble) {
  Network network = random_network({.inputs = 2, .hidden = {3}});
  Dataset data = smooth_data(2000, 2);
  const auto representable = [](std::span<double> numbers) {
    for (double& x : numbers) x = static_cast<float>(x);
  };
  representable(network.weights());
  representable(data.inputs);
  const PackedRows rows(data);
  const auto gram = [&](Precision precision) {
    Objective objective(network, rows, {.precision = precision});
    BlockObjective f = objective.open(network.output_layer());
    const LocalModel model = f.model();
    EXPECT_TRUE(model.is_exact());
    return Vector(model.gram().data(), model.gram().data() + model.gram().size());
  };
  const Vector exact = gram(Precision::float64);
  const Vector rounded = gram(Precision::float32);
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(rounded[i] / exact[i], 1, 4e-9);
}

TEST(SinglePrecision, FollowsTheBatchThatIsSelected) {
  const Dataset data = smooth_data(700, 3);
  const PackedRows all(data);
  PackedRows rows(serial_engine());
  std::vector<std::size_t> order(700);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = 699 - i;
  rows.pack(all, order, 200);
  Network network = random_network({.inputs = 3, .hidden = {5, 4}});
  Objective rounded(network, rows, {.precision = Precision::float32});
  Objective exact(network, rows, {});
  double before = 0;
  for (std::size_t batch = 0; batch < rows.batches(); ++batch) {
    for (Objective* objective : {&rounded, &exact}) objective->select(rows.batch(batch));
    EXPECT_NEAR(rounded.value(), exact.value(), rounding);
    EXPECT_NE(exact.value(), before);
    before = exact.value();
  }
}

}  // namespace
}  // namespace strata
