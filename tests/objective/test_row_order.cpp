#include "strata/objective/row_order.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "strata/core/errors.h"

namespace strata {
namespace {

std::vector<std::size_t> entries(const RowOrder& order, std::size_t count) {
  std::vector<std::size_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = order[i];
  return values;
}

TEST(RowOrder, OfOneProcessIsTheShuffledOrder) {
  for (const std::size_t rows : {1U, 2U, 33U, 1000U}) {
    RowOrder order(rows);
    std::vector<std::size_t> expected(rows);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    EXPECT_EQ(entries(order, rows), expected);
    RandomStream stream(rows), plain(rows);
    for (int epoch = 0; epoch < 3; ++epoch) {
      order.shuffle(stream);
      plain.shuffle(std::span(expected));
      EXPECT_EQ(entries(order, rows), expected);
      EXPECT_EQ(stream.state(), plain.state());
    }
  }
}

TEST(RowOrder, OfSeveralProcessesFollowsTheRowsOfEach) {
  for (const std::size_t rows : {1U, 2U, 5U, 31U, 33U, 64U, 65U, 1000U, 20'000U})
    for (const std::size_t processes : {1U, 2U, 3U, 8U}) {
      std::vector<std::size_t> expected(rows);
      std::iota(expected.begin(), expected.end(), std::size_t{0});
      std::vector<RowOrder> orders;
      std::vector<RandomStream> streams(processes, RandomStream(rows));
      for (std::size_t p = 0; p < processes; ++p) {
        const std::size_t first = p * rows / processes;
        orders.emplace_back(rows, first, (p + 1) * rows / processes - first);
      }
      RandomStream plain(rows);
      for (int epoch = 0; epoch < 3; ++epoch) {
        plain.shuffle(std::span(expected));
        std::vector<std::size_t> together(rows, rows);  // the row at each place, from all processes
        for (std::size_t p = 0; p < processes; ++p) {
          const std::size_t first = p * rows / processes;
          orders[p].shuffle(streams[p]);
          EXPECT_EQ(streams[p].state(), plain.state());
          for (std::size_t i = 0; i < (p + 1) * rows / processes - first; ++i)
            together.at(orders[p][i]) = first + i;
        }
        ASSERT_EQ(together, expected) << rows << " rows, " << processes << " processes, epoch " << epoch;
      }
    }
}

TEST(RowOrder, IsMadeAgainFromTheStreamsOfItsShuffles) {
  RowOrder order(300);
  RowOrder part(300, 100, 50);
  RandomStream stream(4);
  for (int epoch = 0; epoch < 7; ++epoch) {
    if (epoch == 3) stream.next();  // something else draws
    RandomStream same = stream;
    part.shuffle(same);
    order.shuffle(stream);
  }
  State saved;
  order.save(saved);
  EXPECT_EQ(saved.integers("shuffles").size(), 10U);  // two runs of them
  RowOrder again(300);
  again.restore(saved, 7);
  EXPECT_EQ(entries(again, 300), entries(order, 300));
  RowOrder other(300, 100, 50);  // on another number of processes
  other.restore(saved, 7);
  EXPECT_EQ(entries(other, 50), entries(part, 50));
  again.shuffle(stream);
  State longer;
  again.save(longer);
  EXPECT_EQ(longer.integers("shuffles").size(), 10U);  // the second goes on
}

TEST(RowOrder, RefusesShufflesThatCannotBe) {
  RowOrder order(10);
  for (const std::vector<std::uint64_t>& shuffles :
       {std::vector<std::uint64_t>{1, 2, 3, 4}, {1, 2, 3, 4, 6}, {1, 2, 3, 4, 3, 1, 2, 3, 4, 3}}) {
    State damaged;
    damaged.put("shuffles", shuffles);
    EXPECT_THROW(order.restore(damaged, 5), Error);
  }
}

}  // namespace
}  // namespace strata
