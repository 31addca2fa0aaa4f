#include "strata/parallel/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <system_error>
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

TEST(ThreadPool, AnExceptionOfATaskReachesTheCallerAndThePoolGoesOn) {
  for (const std::size_t threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 50; ++round) {
      EXPECT_THROW(pool.run(64,
                            [](std::size_t task, std::size_t) {
                              if (task == 5) throw std::bad_alloc();
                            }),
                   std::bad_alloc);
      std::atomic<int> calls = 0;
      pool.run(64, [&](std::size_t, std::size_t) { ++calls; });
      EXPECT_EQ(calls, 64);
    }
  }
}

TEST(ThreadPool, TasksAfterAFailureAreSkippedAndOneExceptionIsKept) {
  for (const std::size_t threads : {1, 4}) {
    ThreadPool pool(threads);
    std::atomic<std::size_t> begun = 0;
    EXPECT_THROW(pool.run(1000,
                          [&](std::size_t, std::size_t) {
                            ++begun;
                            throw std::runtime_error("every task fails");
                          }),
                 std::runtime_error);
    EXPECT_GE(begun, 1U);
    EXPECT_LE(begun, threads);  // whoever had taken one already
  }
}

// Gives so many threads and no more.
ThreadPool::Start giving(std::size_t threads, std::size_t& asked) {
  return [threads, &asked](std::function<void()> work) {
    if (asked++ == threads)
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return ThreadPool::start_thread(std::move(work));
  };
}

TEST(ThreadPool, GoesOnWithHalfOfWhatItGotWhenAThreadCannotBeStarted) {
  for (const std::size_t given : {0, 1, 2, 3, 6}) {
    std::size_t asked = 0;
    ThreadPool pool(8, giving(given, asked));
    EXPECT_EQ(asked, given + 1);  // it does not insist
    EXPECT_EQ(pool.requested(), 8U);
    ASSERT_EQ(pool.threads(), (given + 2) / 2);  // of `given` and the caller
    std::vector<std::atomic<int>> calls(100);
    pool.run(calls.size(), [&](std::size_t task, std::size_t worker) {
      EXPECT_LT(worker, pool.threads());
      ++calls[task];
    });
    for (const auto& n : calls) EXPECT_EQ(n, 1);
  }
}

TEST(ThreadPool, HasAllItRequestedOtherwise) {
  std::size_t asked = 0;
  const ThreadPool pool(8, giving(7, asked));
  EXPECT_EQ(pool.threads(), 8U);
  EXPECT_EQ(pool.requested(), 8U);
}

}  // namespace
}  // namespace strata
