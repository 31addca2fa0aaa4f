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

// y are rings around the middle of the plane of x1 and x3, which no few directions of that plane show.
Dataset rings(std::size_t rows) {
  Dataset data = wave(rows, 1);
  for (std::size_t p = 0; p < rows; ++p)
    data.targets[p] = std::sin(3 * std::numbers::pi * std::hypot(data.x(p, 1), data.x(p, 3)));
  return data;
}

std::vector<ColumnBasis> found(const Dataset& data, std::size_t most, const Limits& limits = {},
                               const FitHooks& hooks = {}) {
  FitOptions options;
  options.interactions = most;
  options.limits = limits;
  const std::vector<ColumnBasis> columns = piecewise_columns(data, 8);
  const auto network_with = [&](const std::vector<ColumnBasis>& sums) {
    Architecture architecture{.inputs = 5, .hidden = {4, 4}, .columns = columns};
    architecture.columns.insert(architecture.columns.end(), sums.begin(), sums.end());
    Network network(architecture);
    initialise(network, {}, RandomStream(1));
    return network;
  };
  return interacting_pairs(network_with, data, 8, Line::values, squared_loss(), options, hooks);
}

TEST(Pairs, AreThoseThatTheNetworkMisses) {
  const std::vector<ColumnBasis> columns = found(wave(4000, 1), 1);
  ASSERT_FALSE(columns.empty());
  for (const ColumnBasis& column : columns)
    EXPECT_EQ(column.sum.value().inputs, (std::array<std::size_t, 2>{1, 3}));
}

TEST(Pairs, OfFewValuesAreASumAndADifference) {
  Dataset data = wave(4000, 1);
  for (std::size_t p = 0; p < data.rows; ++p) data.x(p, 3) = std::round(6 * data.x(p, 3)) / 6;
  const std::vector<ColumnBasis> columns = found(data, 1);
  ASSERT_EQ(columns.size(), 2U);
  const InputSum sum = columns[0].sum.value(), difference = columns[1].sum.value();
  // In units of the interquartile ranges, which are 1 here.
  EXPECT_NEAR(sum.factors[0], 1, 0.1);
  EXPECT_NEAR(sum.factors[1], 1, 0.1);
  EXPECT_DOUBLE_EQ(difference.factors[0], sum.factors[0]);
  EXPECT_DOUBLE_EQ(difference.factors[1], -sum.factors[1]);
  EXPECT_EQ(columns[0].knots.size(), 8U);
}

TEST(Pairs, HaveManyDirectionsWhereThatHelps) {
  const std::vector<ColumnBasis> columns = found(rings(4000), 1);
  ASSERT_EQ(columns.size(), 16U);
  for (const ColumnBasis& column : columns) {
    const InputSum& sum = column.sum.value();
    EXPECT_EQ(sum.inputs, (std::array<std::size_t, 2>{1, 3}));
    EXPECT_NEAR(std::hypot(sum.factors[0], sum.factors[1]), std::numbers::sqrt2, 0.15);
    EXPECT_EQ(column.knots.size(), 16U);
  }
  // Ten degrees apart, but for the directions of the two columns themselves.
  const auto degrees = [&](std::size_t column) {
    const InputSum& sum = columns[column].sum.value();
    return std::atan2(sum.factors[1], sum.factors[0]) * 180 / std::numbers::pi;
  };
  for (std::size_t d = 0; d < 8; ++d) {
    EXPECT_NEAR(degrees(d), 10 * static_cast<double>(d + 1), 3);
    EXPECT_NEAR(degrees(8 + d), -10 * static_cast<double>(d + 1), 3);
  }
}

TEST(Pairs, AreNoneOfNoise) { EXPECT_TRUE(found(wave(4000, 0), 3).empty()); }

TEST(Pairs, AreNoneOfFewRows) { EXPECT_TRUE(found(wave(999, 1), 3).empty()); }

// Networks that took all of it would leave the members one sweep.
TEST(Pairs, TakeAPartOfATimeLimit) {
  constexpr double limit = 400;
  double now = 0;
  found(rings(4000), 3, {.seconds = limit}, {.clock = [&now] { return now += 1; }});
  EXPECT_LT(now, limit / 4);
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
  EXPECT_GE(with.model.architecture().columns.size(), 7U);
  EXPECT_LT(with.validation->rmse[0], 0.8 * without);
}

}  // namespace
}  // namespace strata
