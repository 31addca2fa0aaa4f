// A radial first layer gives the textbook's functions of the distance to its centres, which begin at rows of the data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "strata/core/errors.h"
#include "strata/data/shared_rows.h"
#include "strata/network/centres.h"
#include "strata/parallel/thread_communicator.h"
#include "support/files.h"
#include "support/networks.h"

namespace strata {
namespace {

using support::refusal;
using testing::HasSubstr;
using testing_support::feature_matrix;
using testing_support::random_network;
using testing_support::smooth_data;

Architecture radial(std::size_t inputs, std::size_t neurons, Activation g = Activation::gaussian,
                    double width = 1) {
  return {.inputs = inputs, .hidden = {neurons}, .activation = g, .radial_width = width};
}

struct Function {
  Activation g;
  std::function<double(double)> of_distance;  // r / (s sqrt(n))
};

TEST(RadialLayer, GivesTheFunctionsOfTheDistanceThatTheirNamesSay) {
  const std::vector<Function> functions{
      {Activation::gaussian, [](double r) { return std::exp(-r * r); }},
      {Activation::multiquadric, [](double r) { return std::hypot(1, r); }},
      {Activation::inverse_multiquadric, [](double r) { return 1 / std::hypot(1, r); }}};
  const Dataset data = smooth_data(150, 3, 2);  // two panels
  Vector features;
  const ConstMatrix x = feature_matrix(data, features);
  for (const Function& function : functions)
    for (const double width : {0.3, 1.0, 4.0}) {
      Architecture architecture = radial(3, 5, function.g, width);
      architecture.outputs = 2;
      const Network network = random_network(architecture);
      ASSERT_EQ(network.layer(0).rows(), 3U);  // centres have no bias
      Vector out(data.rows * 2);
      network.predict(x, {out.data(), data.rows, 2});
      for (std::size_t p = 0; p < data.rows; ++p)
        for (std::size_t o = 0; o < 2; ++o) {
          double expected = network.layer(1)(5, o);
          for (std::size_t h = 0; h < 5; ++h) {
            double squares = 0;
            for (std::size_t k = 0; k < 3; ++k) squares += std::pow(x(p, k) - network.layer(0)(k, h), 2);
            expected += network.layer(1)(h, o) * function.of_distance(std::sqrt(squares / 3) / width);
          }
          EXPECT_NEAR(out[p * 2 + o], expected, 1e-13) << to_string(function.g) << " " << width;
          Vector alone(2);
          network.predict({x.row(p).data(), 1, 3}, {alone.data(), 1, 2});
          EXPECT_EQ(alone[o], out[p * 2 + o]);
        }
    }
}

TEST(RadialLayer, IsRefusedWhereItCannotBe) {
  const auto message = [](const Architecture& architecture) {
    return refusal<InvalidOption>([&] { Network network(architecture); });
  };
  Architecture deep = radial(2, 5);
  deep.hidden = {5, 5};
  EXPECT_THAT(message(deep), HasSubstr("only the first hidden layer can be radial; use one hidden layer"));
  deep.activations = {Activation::gaussian, Activation::tanh};
  EXPECT_NO_THROW(Network{deep});
  Architecture with_tables = radial(1, 5);
  with_tables.columns = {{}};
  EXPECT_THAT(message(with_tables), HasSubstr("use knots 0"));
  for (const double width : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THAT(message(radial(2, 5, Activation::gaussian, width)), HasSubstr("use a finite number above 0"));
}

std::set<std::size_t> rows_at_centres(const Network& network, const Dataset& data) {
  std::set<std::size_t> found;
  for (std::size_t o = 0; o < network.layer(0).columns(); ++o)
    for (std::size_t p = 0; p < data.rows; ++p) {
      bool same = true;
      for (std::size_t k = 0; k < data.columns(); ++k) same = same && network.layer(0)(k, o) == data.x(p, k);
      if (same) found.insert(p);
    }
  return found;
}

TEST(PlaceCentres, PutsThemOnDifferentRowsOfWeightByTheSeed) {
  Dataset data = smooth_data(40, 3);
  data.weights.assign(40, 1);
  for (std::size_t p = 0; p < 40; p += 2) data.weights[p] = 0;
  std::set<std::set<std::size_t>> choices;
  for (const std::uint64_t seed : {1, 2, 3}) {
    Network network = random_network(radial(3, 7));
    place_centres(network, data, RandomStream(seed));
    const std::set<std::size_t> rows = rows_at_centres(network, data);
    EXPECT_EQ(rows.size(), 7U);
    EXPECT_TRUE(std::ranges::all_of(rows, [](std::size_t row) { return row % 2 == 1; }));
    choices.insert(rows);
    Network again = random_network(radial(3, 7));
    place_centres(again, data, RandomStream(seed));
    EXPECT_TRUE(std::ranges::equal(again.weights(), network.weights()));
  }
  EXPECT_EQ(choices.size(), 3U);
}

TEST(PlaceCentres, LeavesThoseBeyondTheRowsWhereTheyAre) {
  const Dataset data = smooth_data(4, 2);
  const Network before = random_network(radial(2, 6));
  Network network(before);
  place_centres(network, data, RandomStream(1));
  EXPECT_EQ(rows_at_centres(network, data).size(), 4U);
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t o = 4; o < 6; ++o) EXPECT_EQ(network.layer(0)(k, o), before.layer(0)(k, o));
}

TEST(PlaceCentres, IsTheSameOnProcessesThatShareTheRows) {
  Dataset data = smooth_data(90, 3);
  data.weights = testing_support::random_weights(90);
  Network alone = random_network(radial(3, 11));
  place_centres(alone, data, RandomStream(4));
  for (const std::size_t count : {2, 3})
    run_as_processes(count, [&](Communicator& processes) {
      Network network = random_network(radial(3, 11));
      place_centres(network, share_rows(data, processes), RandomStream(4), processes);
      EXPECT_TRUE(std::ranges::equal(network.weights(), alone.weights()));
    });
}

}  // namespace
}  // namespace strata
