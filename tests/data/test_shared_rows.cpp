#include "strata/data/shared_rows.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "strata/parallel/thread_communicator.h"
#include "support/networks.h"

namespace strata {
namespace {

using testing_support::random_weights;
using testing_support::smooth_data;

void expect_equal(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.weights, b.weights);
}

TEST(SharedRows, AreFetchedFromWhoeverHasThem) {
  Dataset whole = smooth_data(10, 2, 2);
  whole.weights = random_weights(10);
  const std::vector<std::size_t> wanted = {9, 0, 3, 3, 7};
  for (const std::size_t count : {1, 2, 3, 16})  // of 16 processes, six have no row
    run_as_processes(count, [&](Communicator& processes) {
      const Dataset held = share_rows(whole, processes);
      expect_equal(fetch_rows(held, wanted, processes), take_rows(whole, wanted));
      expect_equal(fetch_rows(held, {}, processes), take_rows(whole, std::vector<std::size_t>{}));
    });
}

TEST(SharedRows, TakenTogetherMakeTheTableThatOneProcessTakes) {
  const Dataset whole = smooth_data(11, 3);
  std::vector<std::size_t> order(7);
  std::iota(order.rbegin(), order.rend(), 2);
  const Dataset expected = take_rows(whole, order);
  for (const std::size_t count : {1, 2, 3, 9})
    run_as_processes(count, [&](Communicator& processes) {
      const Dataset part = take_rows(share_rows(whole, processes), order, processes);
      EXPECT_EQ(part.all_rows(), 7U);
      std::vector<std::size_t> mine(part.rows);
      std::iota(mine.begin(), mine.end(), part.first_row);
      expect_equal(part, take_rows(expected, mine));
    });
}

}  // namespace
}  // namespace strata
