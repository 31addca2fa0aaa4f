#include "strata/parallel/shard_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <vector>

#include "strata/parallel/thread_communicator.h"

namespace strata {
namespace {

constexpr std::size_t length = 5;

// Numbers whose sum depends on the order in which they are added.
double entry(std::size_t shard, std::size_t i) {
  return std::sin(static_cast<double>(shard * length + i)) * std::pow(10.0, static_cast<double>(shard % 7));
}

double tree(std::size_t begin, std::size_t end, std::size_t width, std::size_t i) {
  if (end - begin == 1) return entry(begin, i);
  if (begin + width / 2 >= end) return tree(begin, end, width / 2, i);
  return tree(begin, begin + width / 2, width / 2, i) + tree(begin + width / 2, end, width / 2, i);
}

std::vector<double> sum_of(const ShardShares& shares, Communicator& processes, std::size_t threads) {
  ThreadPool pool(threads);
  ShardSums sums;
  sums.start(shares, processes.rank(), length);
  for (std::size_t s = shares.begin(processes.rank()); s < shares.end(processes.rank()); ++s) {
    double* of_shard = sums.cleared(s);
    for (std::size_t i = 0; i < length; ++i) of_shard[i] += entry(s, i);
  }
  const auto total = sums.total(processes, pool);
  return {total.begin(), total.end()};
}

TEST(ShardSums, AreTheSameTreeForAnyNumberOfProcesses) {
  for (const std::size_t shards : {1, 2, 3, 5, 8, 13, 63, 64})
    for (const std::size_t processes : {1, 2, 3, 4, 7, 16})
      run_as_processes(processes, [&](Communicator& communicator) {
        const auto total = sum_of({shards, processes}, communicator, 1 + processes % 2);
        for (std::size_t i = 0; i < length; ++i)
          EXPECT_EQ(total[i], tree(0, shards, 64, i))
              << shards << " shards, process " << communicator.rank() << " of " << processes;
      });
}

TEST(ShardSums, OfShardsThatStayAtHomeAreBroadcastFromThere) {
  for (const std::size_t home : {0, 1, 2})
    run_as_processes(3, [&](Communicator& communicator) {
      const auto total =
          sum_of({.shards = 3, .processes = 3, .home = home, .shared = false}, communicator, 1);
      EXPECT_EQ(total[2], tree(0, 3, 64, 2));
      EXPECT_EQ(communicator.traffic().messages, communicator.rank() == home ? 2U : 0U);
    });
}

TEST(ShardShares, CoverAllShardsOnceAndEvenly) {
  for (const std::size_t shards : {1, 2, 7, 63, 64})
    for (const std::size_t processes : {1, 2, 3, 5, 64, 100}) {
      const ShardShares shares{shards, processes};
      EXPECT_EQ(shares.begin(0), 0U);
      EXPECT_EQ(shares.end(processes - 1), shards);
      for (std::size_t p = 0; p < processes; ++p) {
        EXPECT_LE(shares.count(p), (shards + processes - 1) / processes);
        for (std::size_t s = shares.begin(p); s < shares.end(p); ++s) EXPECT_EQ(shares.owner(s), p);
      }
    }
}

// Two processes of a power of two: the second sends the sum of its half, once, and gets the total.
TEST(ShardSums, TravelAsOneMessageUpAndOneDownBetweenTwo) {
  run_as_processes(2, [](Communicator& communicator) {
    sum_of({64, 2}, communicator, 1);
    EXPECT_EQ(communicator.traffic(), (Traffic{1, length * sizeof(double)}));
  });
}

}  // namespace
}  // namespace strata
