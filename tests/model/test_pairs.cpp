// Pairs of numbers whose interaction a network misses.
#include "model/pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "strata/core/random.h"
#include "strata/network/knots.h"
#include "support/files.h"

namespace strata {
namespace {

// y is a fine wave of x1 + 2 x3, which few neurons cannot follow, and a little noise; x0, x2 and x4 are of no use.
Dataset wave(std::size_t rows, double height) {
  Dataset data(rows, 5, 1);
  RandomStream random(3);
  for (std::size_t p = 0; p < rows; ++p) {
    for (std::size_t c = 0; c < 5; ++c) data.x(p, c) = random.uniform(-1, 1);
    data.targets[p] =
        height * std::sin(3 * std::numbers::pi * (data.x(p, 1) + 2 * data.x(p, 3))) + 0.3 * random.normal();
  }
  return data;
}

std::vector<InputSum> found(const Dataset& data, std::size_t most, const Limits& limits = {},
                            const FitHooks& hooks = {}) {
  FitOptions options;
  options.interactions = most;
  options.limits = limits;
  Network network({.inputs = 5, .hidden = {4, 4}, .columns = piecewise_columns(data, 8)});
  initialise(network, {}, RandomStream(1));
  return interacting_pairs(network, data, squared_loss(), options, hooks);
}

TEST(Pairs, AreThoseThatTheNetworkMisses) {
  const std::vector<InputSum> sums = found(wave(4000, 1), 1);
  ASSERT_EQ(sums.size(), 2U);
  for (const InputSum& sum : sums) EXPECT_EQ(sum.inputs, (std::array<std::size_t, 2>{1, 3}));
  // In units of the interquartile ranges, which are 1 here.
  EXPECT_NEAR(sums[0].factors[0], 1, 0.1);
  EXPECT_NEAR(sums[0].factors[1], 1, 0.1);
  EXPECT_EQ(sums[1].factors[0], sums[0].factors[0]);
  EXPECT_EQ(sums[1].factors[1], -sums[0].factors[1]);
}

TEST(Pairs, AreNoneOfNoise) { EXPECT_TRUE(found(wave(4000, 0), 3).empty()); }

TEST(Pairs, AreNoneOfFewRows) { EXPECT_TRUE(found(wave(999, 1), 3).empty()); }

// A first network that took all of it would leave the members one sweep.
TEST(Pairs, TakeATenthOfATimeLimit) {
  constexpr double limit = 200;
  double now = 0;
  found(wave(4000, 1), 3, {.seconds = limit}, {.clock = [&now] { return now += 1; }});
  EXPECT_LT(now, limit / 5);
}

// The wave is one of a sum, so that a network with its pair follows it.
TEST(Pairs, HelpAFit) {
  const Dataset data = wave(4000, 1);
  const support::TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "wave.csv";
  std::ofstream file(path);
  file << "a,b,c,d,e,y\n";
  for (std::size_t p = 0; p < data.rows; ++p) {
    for (std::size_t c = 0; c < 5; ++c) file << data.x(p, c) << ',';
    file << data.targets[p] << '\n';
  }
  file.close();
  FitOptions options;
  options.preprocess.targets = {"y"};
  options.hidden = {10};
  options.knots = 24;
  options.limits.sweeps = 15;
  const Table table = read_table(path);
  const double without = fit(table, options).validation->rmse[0];
  options.interactions = 1;
  const FitResult with = fit(table, options);
  EXPECT_EQ(with.model.architecture().columns.size(), 7U);
  EXPECT_LT(with.validation->rmse[0], 0.8 * without);
}

}  // namespace
}  // namespace strata
