// Rows that take more than the memory has room for.
#include <gtest/gtest.h>

#include <cmath>

#include "strata/objective/objective.h"
#include "strata/objective/packed_rows.h"
#include "support/networks.h"

namespace strata {
namespace {

using testing_support::random_network;
using testing_support::smooth_data;

constexpr std::size_t row_count = 20'003;
constexpr std::size_t inputs = 5;
constexpr std::size_t mega = 1'000'000;

struct Case {
  std::size_t memory;
  PackedRows::Storage storage;
};
// As doubles the rows take 1.2 MB, of which the targets have 0.2; in single precision 0.6.
const Case cases[] = {{100 * mega, PackedRows::Storage::doubles},
                      {mega, PackedRows::Storage::singles},
                      {mega / 2, PackedRows::Storage::disk}};

Dataset data_with_a_gap() {
  Dataset data = smooth_data(row_count, inputs, 1);
  data.layout.expand = false;
  data.x(200, 1) = std::nan("");
  return data;
}

TEST(RowStorage, RoundsInputsToSinglePrecisionWhereDoublesDoNotFit) {
  const Dataset data = data_with_a_gap();
  for (const auto& [memory, storage] : cases) {
    Engine engine({.threads = 3, .memory = memory});
    const PackedRows packed(data, engine);
    ASSERT_EQ(packed.storage(), storage);
    PackedRows batch(engine);
    const std::vector<std::size_t> order{7, 20'002, 200, 129, 6, 128, 127, 0, 19'000};
    batch.pack(packed, order, order.size());
    EXPECT_EQ(batch.storage(), PackedRows::Storage::doubles);
    Vector scratch;
    const auto kept = [single = storage != PackedRows::Storage::doubles](double number) {
      return single ? static_cast<double>(static_cast<float>(number)) : number;
    };
    const auto expect_row = [&](const PackedRows& of, std::size_t panel, std::size_t j, std::size_t row) {
      const ConstMatrix in = of.inputs(panel, scratch);
      for (std::size_t f = 0; f < inputs; ++f) {
        if (std::isnan(data.x(row, f)))
          EXPECT_TRUE(std::isnan(in(f, j)));
        else
          EXPECT_EQ(in(f, j), kept(data.x(row, f)));
      }
      EXPECT_EQ(in(inputs, j), 1);  // the constant feature
      EXPECT_EQ(of.targets(panel)(0, j), data.y()(row, 0));
    };
    for (std::size_t row = 0; row < row_count; row += 101) expect_row(packed, row / 128, row % 128, row);
    expect_row(packed, (row_count - 1) / 128, (row_count - 1) % 128, row_count - 1);
    for (std::size_t j = 0; j < order.size(); ++j) expect_row(batch, 0, j, order[j]);
    const ConstMatrix last = packed.inputs((row_count - 1) / 128, scratch);
    for (std::size_t j = row_count % 128; j < last.columns(); ++j)
      for (std::size_t f = 0; f <= inputs; ++f) EXPECT_EQ(last(f, j), 0);  // padding
  }
}

TEST(RowStorage, GivesTheSameBitsOnAnyNumberOfThreadsAndFromTheDisk) {
  const Dataset data = smooth_data(row_count, inputs, 1);
  const auto gradient = [&](std::size_t memory, std::size_t threads) {
    Engine engine({.threads = threads, .memory = memory});
    const PackedRows packed(data, engine);
    Network network = random_network({.inputs = inputs, .hidden = {6, 4}, .outputs = 1});
    Objective objective(network, packed, {});
    BlockObjective f = objective.open({0, 2});
    Vector found(f.size());
    f.value_and_gradient(network.weights(Block{0, 2}), found);
    return found;
  };
  const Vector singles = gradient(mega, 1);
  EXPECT_EQ(singles, gradient(mega, 3));
  EXPECT_EQ(singles, gradient(mega / 2, 2));
  const Vector doubles = gradient(100 * mega, 1);
  EXPECT_NE(singles, doubles);
  for (std::size_t i = 0; i < doubles.size(); ++i) EXPECT_NEAR(singles[i], doubles[i], 1e-6);
}

// The cuts as a list of batches and panels.
TEST(PanelCuts, AreThoseOfAListOfAll) {
  constexpr std::size_t processes = 3;
  for (const std::size_t rows : {1, 2, 127, 128, 129, 700, 1025})
    for (const std::size_t batch_size : {1, 2, 32, 127, 128, 129, 256, 300, 1025, 2000}) {
      SCOPED_TRACE(testing::Message() << rows << " rows in batches of " << batch_size);
      const PanelCuts cuts(rows, batch_size, processes);
      const std::size_t batches = (rows + batch_size - 1) / batch_size;
      ASSERT_EQ(cuts.batches(), batches);
      std::size_t panel = 0;
      for (std::size_t index = 0; index < batches; ++index) {
        const std::size_t start = index * batch_size;
        Rows batch{panel, 0, std::min(batch_size, rows - start), index * processes / batches};
        for (std::size_t done = 0; done < batch.rows;
             done += PanelCuts::panel_rows, ++panel, ++batch.panels) {
          ASSERT_EQ(cuts.first_row(panel), start + done);
          const std::size_t samples = std::min(PanelCuts::panel_rows, batch.rows - done);
          ASSERT_EQ(cuts.samples(panel), samples);
          for (std::size_t column : {std::size_t{0}, samples - 1}) {
            const std::size_t place = start + done + column;
            ASSERT_EQ(cuts.batch_of(place), index);
            ASSERT_EQ(cuts.panel_of(place), panel);
            ASSERT_EQ(cuts.column_of(place), column);
          }
        }
        ASSERT_EQ(cuts.batch(index), batch);
      }
      ASSERT_EQ(cuts.panels(), panel);
    }
}

}  // namespace
}  // namespace strata
