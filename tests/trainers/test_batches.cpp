#include "strata/trainers/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace strata {
namespace {

// Each row carries its own number as input and as target.
Dataset numbered_rows(std::size_t rows) {
  Dataset data(rows, 1, 1);
  for (std::size_t p = 0; p < rows; ++p) data.x(p, 0) = data.y()(p, 0) = static_cast<double>(p);
  return data;
}

std::vector<double> rows_of(const Batches& batches, std::size_t index) {
  PackedRows space(serial_engine());
  const PackedBatch loaded = batches.load(index, space);
  const Rows batch = loaded.batch;
  std::vector<double> rows;
  Vector scratch;
  for (std::size_t panel = batch.first_panel; panel < batch.first_panel + batch.panels; ++panel)
    for (std::size_t j = 0; j < loaded.rows.samples(panel); ++j) {
      rows.push_back(loaded.rows.inputs(panel, scratch)(0, j));
      EXPECT_EQ(rows.back(), loaded.rows.targets(panel)(0, j));  // a row keeps its own target
    }
  EXPECT_EQ(rows.size(), batch.rows);
  return rows;
}

// The batches of the partition, one after the other, whatever their order in this epoch.
std::vector<std::vector<double>> partition(const Batches& batches) {
  std::vector<std::vector<double>> all;
  for (std::size_t b = 0; b < batches.count(); ++b) all.push_back(rows_of(batches, b));
  return all;
}

std::vector<double> together(const std::vector<std::vector<double>>& parts) {
  std::vector<double> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<double> first_numbers(std::size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

TEST(Batches, EveryPartitionCoversEveryRowOnceWhateverTheSize) {
  const PackedRows data(numbered_rows(301));
  for (const Partition how : {Partition::fixed, Partition::every_epoch})
    for (const std::size_t size : {1U, 3U, 8U, 32U, 128U, 150U, 300U, 301U, 1000U, 0U}) {
      Batches batches(data, {.size = size, .partition = how}, RandomStream(4));
      const std::size_t rows = size == 0 ? 301 : std::min<std::size_t>(size, 301);
      for (int epoch = 0; epoch < 3; ++epoch) {
        batches.begin_epoch();
        EXPECT_EQ(batches.size(), rows);
        EXPECT_EQ(batches.whole(), rows == 301);
        ASSERT_EQ(batches.count(), (301 + rows - 1) / rows);
        const auto parts = partition(batches);
        for (std::size_t b = 0; b + 1 < parts.size(); ++b) EXPECT_EQ(parts[b].size(), rows);
        auto all = together(parts);
        std::sort(all.begin(), all.end());
        EXPECT_EQ(all, first_numbers(301)) << "size " << size << ", epoch " << epoch;
      }
    }
}

TEST(Batches, AFixedPartitionKeepsTheRowsInTheirOrder) {
  const PackedRows data(numbered_rows(50));
  Batches batches(data, {.size = 8, .order = BatchOrder::without_replacement}, RandomStream(4));
  for (int epoch = 0; epoch < 3; ++epoch) {
    batches.begin_epoch();
    EXPECT_EQ(together(partition(batches)), first_numbers(50));
  }
}

TEST(Batches, APartitionMadeAnewDiffersFromEpochToEpoch) {
  const PackedRows data(numbered_rows(50));
  Batches batches(data, {.size = 8, .partition = Partition::every_epoch}, RandomStream(4));
  std::set<std::vector<double>> seen;
  for (int epoch = 0; epoch < 5; ++epoch) {
    batches.begin_epoch();
    seen.insert(together(partition(batches)));
  }
  EXPECT_EQ(seen.size(), 5U);
}

TEST(Batches, IncrementalOrderIsAlwaysTheSame) {
  const PackedRows data(numbered_rows(50));
  Batches batches(data, {.size = 8}, RandomStream(4));
  for (int epoch = 0; epoch < 3; ++epoch)
    EXPECT_THAT(batches.begin_epoch(), testing::ElementsAre(0U, 1U, 2U, 3U, 4U, 5U, 6U));
}

TEST(Batches, WithoutReplacementVisitsEveryBatchOnceInADifferentOrder) {
  const PackedRows data(numbered_rows(50));
  Batches batches(data, {.size = 8, .order = BatchOrder::without_replacement}, RandomStream(4));
  std::set<std::vector<std::size_t>> seen;
  for (int epoch = 0; epoch < 5; ++epoch) {
    const auto& order = batches.begin_epoch();
    EXPECT_THAT(order, testing::UnorderedElementsAre(0U, 1U, 2U, 3U, 4U, 5U, 6U));
    seen.insert(order);
  }
  EXPECT_EQ(seen.size(), 5U);
}

TEST(Batches, StochasticOrderDrawsAnyBatchAtAnyTime) {
  const PackedRows data(numbered_rows(40));
  Batches batches(data, {.size = 8, .order = BatchOrder::stochastic}, RandomStream(4));
  std::vector<int> drawn(5, 0);
  bool repeated = false;
  for (int epoch = 0; epoch < 400; ++epoch) {
    const auto& order = batches.begin_epoch();
    ASSERT_EQ(order.size(), 5U);
    for (const std::size_t b : order) ++drawn.at(b);
    repeated = repeated || std::set(order.begin(), order.end()).size() < 5;
  }
  EXPECT_TRUE(repeated);
  for (const int count : drawn) EXPECT_NEAR(count, 400, 100);
}

TEST(Batches, WholeDataIsOneBatchInTheOrderOfTheRows) {
  const PackedRows data(numbered_rows(300));
  Batches batches(data, {.partition = Partition::every_epoch, .order = BatchOrder::without_replacement},
                  RandomStream(4));
  EXPECT_THAT(batches.begin_epoch(), testing::ElementsAre(0U));
  EXPECT_EQ(rows_of(batches, 0), first_numbers(300));
}

TEST(Batches, GrowTakesEffectWithTheNextEpochAndStillCoversEveryRow) {
  const PackedRows data(numbered_rows(50));
  for (const Partition how : {Partition::fixed, Partition::every_epoch}) {
    Batches batches(data, {.size = 8, .partition = how}, RandomStream(4));
    batches.begin_epoch();
    batches.grow(20);
    EXPECT_EQ(batches.count(), 7U);  // still the old partition
    EXPECT_EQ(batches.begin_epoch().size(), 3U);
    auto all = together(partition(batches));
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, first_numbers(50));
    batches.grow(1000);
    EXPECT_TRUE(batches.whole());
    EXPECT_EQ(batches.begin_epoch().size(), 1U);
    EXPECT_EQ(rows_of(batches, 0).size(), 50U);
    batches.grow(3);  // never smaller
    EXPECT_EQ(batches.size(), 50U);
  }
}

TEST(Batches, WhatALongEpochHasLeftIsCutAnewAndStillCoversEveryRow) {
  const PackedRows data(numbered_rows(301));
  for (const Partition how : {Partition::fixed, Partition::every_epoch}) {
    Batches batches(data, {.size = 3, .partition = how, .grow_below = 0.5, .grow_after = 20},
                    RandomStream(4));
    EXPECT_EQ(batches.stretch(), 48U);  // 16 batches
    EXPECT_TRUE(batches.epochs_are_long());
    EXPECT_EQ(batches.judged_after(), 48U);
    batches.begin_epoch();
    EXPECT_FALSE(batches.cut_rest(16));  // nothing has grown
    std::vector<std::vector<double>> visited = partition(batches);
    visited.resize(16);
    batches.grow(6);
    ASSERT_TRUE(batches.cut_rest(16));
    EXPECT_EQ(batches.order().size(), 43U);
    EXPECT_EQ(batches.rows_left(0), 253U);
    EXPECT_EQ(batches.rows_left(1), 247U);
    EXPECT_EQ(batches.rows_left(43), 0U);
    EXPECT_DOUBLE_EQ(batches.fraction_done(0), 48.0 / 301);
    EXPECT_DOUBLE_EQ(batches.fraction_done(43), 1);
    for (std::vector<double>& rows : partition(batches)) visited.push_back(std::move(rows));
    auto all = together(visited);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, first_numbers(301));
    EXPECT_EQ(batches.begin_epoch().size(), 51U);  // the next epoch has all rows again
    batches.grow(12);
    EXPECT_FALSE(batches.epochs_are_long());
  }
}

TEST(Batches, AnEpochThatWasCutAnewAndGrewOnceMoreAtItsEndIsFollowedByOneOfAllRows) {
  const PackedRows data(numbered_rows(301));
  Batches batches(data, {.size = 3, .partition = Partition::every_epoch, .grow_below = 0.5, .grow_after = 20},
                  RandomStream(4));
  batches.begin_epoch();
  batches.grow(6);
  ASSERT_TRUE(batches.cut_rest(16));
  batches.grow(12);  // with nothing left to cut
  EXPECT_EQ(batches.begin_epoch().size(), 26U);
  auto all = together(partition(batches));
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, first_numbers(301));
}

TEST(Batches, EpochsThatAreNotLongAreJudgedAfterAQuarterAsManyRowsWhileTheyHaveTwiceThose) {
  const PackedRows data(numbered_rows(301));
  const auto judged_after = [&](const BatchOptions& options) {
    return Batches(data, options, RandomStream(4)).judged_after();
  };
  EXPECT_EQ(judged_after({.size = 3, .grow_below = 0.5, .grow_after = 400}), 100U);
  EXPECT_EQ(judged_after({.size = 3, .grow_below = 0.5, .grow_after = 600}), 150U);
  EXPECT_EQ(judged_after({.size = 3, .grow_below = 0.5, .grow_after = 604}),
            0U);  // twice 151 rows are more than there are
  EXPECT_EQ(judged_after({.size = 9, .grow_below = 0.5, .grow_after = 160}), 144U);  // 16 batches
  EXPECT_EQ(judged_after({.size = 10, .grow_below = 0.5, .grow_after = 160}), 0U);
  EXPECT_EQ(judged_after({.size = 3, .grow_below = 0.5, .grow_after = 0}), 0U);
  EXPECT_EQ(judged_after({.size = 3, .grow_below = 0, .grow_after = 400}), 0U);  // they do not grow
  EXPECT_EQ(judged_after({.size = 3, .grow_below = 0.5, .grow_after = 400, .grow_in_short_epochs = false}),
            0U);
  EXPECT_EQ(judged_after({.size = 3, .grow_below = 0.5, .grow_after = 100, .grow_in_short_epochs = false}),
            100U);  // long
}

TEST(Batches, DoNotGrowBeyondTheMemory) {
  const Dataset rows = numbered_rows(5000);
  Engine engine({.memory = 400'000});  // all rows once more would take 130 kB
  const PackedRows data(rows, engine);
  Batches batches(data, {.size = 100}, RandomStream(4));
  batches.grow(4000);
  EXPECT_EQ(batches.size(), 4000U);
  MemoryShare taken(engine.memory());
  ASSERT_TRUE(taken.grow_to(engine.memory().left() - 200'000));
  batches.grow(5000);
  EXPECT_EQ(batches.size(), 4000U);
}

// Weights, targets and padding of a batch that was gathered are those of the same rows packed by themselves.
TEST(Batches, AreTheRowsOfTheDataSet) {
  Dataset data(300, 2, 2);
  RandomStream random(8);
  for (double& number : data.inputs) number = random.uniform(-1, 1);
  for (double& number : data.targets) number = random.uniform(-1, 1);
  for (std::size_t p = 0; p < data.rows; ++p) data.weights.push_back(random.uniform(0, 2));
  Engine engine({.threads = 3});
  const PackedRows all(data, engine);
  PackedRows space(engine);
  Vector scratch;
  const std::vector<std::size_t> order = RandomStream(3).permutation(300);
  for (const std::size_t size : {1U, 7U, 128U, 200U, 300U}) {
    space.pack(all, order, size);
    for (std::size_t panel = 0; panel < space.all().panels; ++panel)
      for (std::size_t j = 0; j < space.inputs(panel, scratch).columns(); ++j) {
        const bool padding = j >= space.samples(panel);
        const std::size_t row = padding ? 0 : order[space.first_row(panel) + j];
        for (std::size_t f = 0; f < 2; ++f) {
          EXPECT_EQ(space.inputs(panel, scratch)(f, j), padding ? 0 : data.x(row, f));
          EXPECT_EQ(space.targets(panel)(f, j), padding ? 0 : data.y()(row, f));
        }
        EXPECT_EQ(space.inputs(panel, scratch)(2, j), padding ? 0 : 1);
        EXPECT_EQ(space.weights(panel)[j], padding ? 0 : all.weight_scale(order) * data.weights[row]);
      }
  }
}

TEST(Batches, TheSameSeedGivesTheSameEpochs) {
  const PackedRows data(numbered_rows(50));
  const BatchOptions options{
      .size = 8, .partition = Partition::every_epoch, .order = BatchOrder::without_replacement};
  Batches a(data, options, RandomStream(4)), b(data, options, RandomStream(4));
  for (int epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(a.begin_epoch(), b.begin_epoch());
    EXPECT_EQ(partition(a), partition(b));
  }
}

}  // namespace
}  // namespace strata
