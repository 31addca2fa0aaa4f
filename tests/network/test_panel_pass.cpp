// A row by itself is predicted to the bits that it has among others.
#include "network/panel_pass.h"

#include <gtest/gtest.h>

#include "strata/core/random.h"
#include "strata/network/knots.h"
#include "strata/network/network.h"

namespace strata {
namespace {

Vector some_numbers(std::size_t size) {
  Vector numbers(size);
  RandomStream random(3);
  for (double& x : numbers) x = random.uniform(-2, 2);
  return numbers;
}

void expect_the_same_bits(const Architecture& architecture) {
  constexpr std::size_t rows = 5;
  Network network(architecture);
  initialise(network, {.kind = Initialisation::glorot}, RandomStream(2));
  const Vector inputs = some_numbers(rows * architecture.inputs);
  Vector together(rows * architecture.outputs), alone(together.size());
  PanelPass(network, rows)
      .predict({inputs.data(), rows, architecture.inputs}, {together.data(), rows, architecture.outputs});
  PanelPass pass(network, 1);
  for (std::size_t row = 0; row < rows; ++row)
    pass.predict({inputs.data() + row * architecture.inputs, 1, architecture.inputs},
                 {alone.data() + row * architecture.outputs, 1, architecture.outputs});
  EXPECT_EQ(alone, together) << architecture.brief();
}

TEST(PanelPass, OneRowHasTheBitsOfSeveral) {
  for (const Bias bias : {Bias::none, Bias::input, Bias::per_layer})
    for (const std::size_t inputs : {1, 3, 500})
      for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{}, {5}, {50, 50, 50}, {9, 70}})
        expect_the_same_bits({.inputs = inputs, .hidden = hidden, .outputs = 3, .bias = bias});
}

TEST(PanelPass, OneRowHasTheBitsOfSeveralWhereTheFirstLayerReadsTables) {
  constexpr std::size_t rows = 60;
  constexpr std::size_t inputs = 4;
  Dataset data(rows, inputs, 1);
  const Vector numbers = some_numbers(rows * inputs);
  std::copy(numbers.begin(), numbers.end(), data.inputs.begin());
  expect_the_same_bits({.inputs = inputs,
                        .hidden = {7, 20},
                        .outputs = 2,
                        .bias = Bias::per_layer,
                        .columns = piecewise_columns(data, 8)});
}

// Of networks whose first layers read tables, alike or not, and of others.
TEST(MemberPasses, HaveTheBitsOfEachNetworkByItself) {
  constexpr std::size_t rows = 300;
  constexpr std::size_t inputs = 4;
  Dataset data(rows, inputs, 1);
  const Vector numbers = some_numbers(rows * inputs);
  std::copy(numbers.begin(), numbers.end(), data.inputs.begin());
  const Architecture dense{.inputs = inputs, .hidden = {7, 20}, .outputs = 2, .bias = Bias::per_layer};
  Architecture tables = dense;
  tables.columns = piecewise_columns(data, 8);
  Architecture other_tables = tables;
  other_tables.columns = piecewise_columns(data, 5);
  Architecture other_bias = tables;
  other_bias.bias = Bias::none;
  for (const std::vector<Architecture>& architectures :
       std::vector<std::vector<Architecture>>{{tables},
                                              {tables, tables, tables},
                                              {tables, other_tables},
                                              {tables, other_bias},
                                              {dense, dense},
                                              {dense, tables}}) {
    std::vector<Network> networks;
    for (const Architecture& architecture : architectures) {
      networks.emplace_back(architecture);
      initialise(networks.back(), {.kind = Initialisation::glorot}, RandomStream(networks.size()));
    }
    for (const std::size_t count : {std::size_t{1}, std::size_t{5}, rows}) {
      const std::size_t outputs = 2 * networks.size();
      Vector together(count * outputs), alone(2 * count);
      MemberPasses(networks, count)
          .predict({numbers.data(), count, inputs}, {together.data(), count, outputs});
      for (std::size_t m = 0; m < networks.size(); ++m) {
        networks[m].predict({numbers.data(), count, inputs}, {alone.data(), count, 2});
        for (std::size_t row = 0; row < count; ++row)
          for (std::size_t o = 0; o < 2; ++o)
            ASSERT_EQ(together[row * outputs + 2 * m + o], alone[2 * row + o]) << m << ' ' << row;
      }
    }
  }
}

}  // namespace
}  // namespace strata
