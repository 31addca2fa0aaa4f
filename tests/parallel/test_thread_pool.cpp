#include "strata/parallel/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace strata {
namespace {

TEST(ThreadPool, RunsEveryTaskOnceForAnyNumberOfThreads) {
  for (const std::size_t threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (const std::size_t tasks : {0, 1, 2, 7, 64}) {
      std::vector<std::atomic<int>> calls(tasks);
      for (int round = 0; round < 50; ++round)
        pool.run(tasks, [&](std::size_t task, std::size_t worker) {
          ASSERT_LT(worker, threads);
          ++calls[task];
        });
      for (const auto& n : calls) EXPECT_EQ(n, 50);
    }
  }
}

TEST(ThreadPool, NoTwoTasksShareAWorkerAtOnce) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<bool> clash = false;
  pool.run(400, [&](std::size_t, std::size_t worker) {
    if (inside[worker].fetch_add(1) != 0) clash = true;
    inside[worker].fetch_sub(1);
  });
  EXPECT_FALSE(clash);
}

TEST(ThreadPool, ZeroMeansOnePerCore) { EXPECT_GE(ThreadPool(0).threads(), 1U); }

}  // namespace
}  // namespace strata
