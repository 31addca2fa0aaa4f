#include "strata/parallel/engine.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <optional>

#include "strata/core/errors.h"
#include "strata/parallel/thread_communicator.h"

namespace strata {
namespace {

TEST(MemoryBudget, IsSharedByAllThatTakeFromIt) {
  MemoryBudget budget(100);
  MemoryShare first(budget);
  EXPECT_TRUE(first.grow_to(60));
  EXPECT_EQ(budget.left(), 40U);
  {
    MemoryShare second(budget);
    EXPECT_FALSE(second.grow_to(41));
    EXPECT_EQ(budget.left(), 40U);  // a refusal takes nothing
    EXPECT_TRUE(second.grow_to(40));
    EXPECT_TRUE(second.grow_to(10));  // what it has already
    EXPECT_EQ(budget.left(), 0U);
    EXPECT_FALSE(first.grow_to(61));
  }
  EXPECT_EQ(budget.left(), 40U);  // given back
  EXPECT_TRUE(first.grow_to(100));
}

TEST(MemoryBudget, RefusesRowsThatDoNotFitAndNamesWhatTheyTake) {
  MemoryBudget budget(3'000'000);
  MemoryShare first(budget), second(budget);
  first.require(2'000'000);
  try {
    second.require(1'500'000);
    FAIL() << "3.5 of 3 megabytes were granted";
  } catch (const InvalidOption& refusal) {
    EXPECT_STREQ(refusal.what(),
                 "option 'memory' = '3MB': the rows alone take 3.5MB; allow more, or use fewer rows");
  }
}

TEST(MemoryBudget, GivesOutNoByteTwiceToThreads) {
  MemoryBudget budget(1000);
  ThreadPool pool(4);
  std::vector<std::optional<MemoryShare>> shares(400);
  std::atomic<std::size_t> granted = 0;
  pool.run(shares.size(), [&](std::size_t task, std::size_t) {
    if (shares[task].emplace(budget).grow_to(7)) granted += 7;
  });
  EXPECT_EQ(granted, 1000U / 7 * 7);
  EXPECT_EQ(budget.left(), 1000U - granted);
}

TEST(Engine, DefaultMemoryIsHalfOfTheMachinesOrOfALowerLimit) {
  const auto machine =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(default_memory(), 0U);
  EXPECT_LE(default_memory(), machine / 2);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  rlimit lower = before;
  lower.rlim_cur = default_memory();  // half of what it was made from
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &lower), 0);
  EXPECT_EQ(default_memory(), lower.rlim_cur / 2);
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
}

TEST(Engine, ReadsSizesWithTheirUnits) {
  EXPECT_EQ(memory_from("1500"), 1500U);
  EXPECT_EQ(memory_from("500MB"), 500'000'000U);
  EXPECT_EQ(memory_from("2GB"), 2'000'000'000U);
  EXPECT_EQ(memory_from("1.5GiB"), 3U << 29U);
  for (const char* const bad : {"", "GB", "0", "-1GB", "2 GB", "2gb", "1e30", "nan", "2GBs"})
    EXPECT_THROW(memory_from(bad), InvalidOption) << bad;
}

TEST(Engine, ProcessesHaveTheMemoryOfTheOneWithLeast) {
  run_as_processes(3, [](Communicator& processes) {
    EXPECT_EQ(Engine({.processes = &processes, .memory = 1000 + processes.rank()}).memory().bytes(), 1000U);
    EXPECT_EQ(Engine({.processes = &processes}).memory().bytes(), default_memory() / 3);
  });
}

}  // namespace
}  // namespace strata
