#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "strata/core/errors.h"
#include "strata/parallel/collective.h"
#include "strata/parallel/thread_communicator.h"

namespace strata {
namespace {

using testing::ElementsAre;

TEST(Collective, GathersWhatEachProcessGave) {
  run_as_processes(3, [](Communicator& processes) {
    EXPECT_THAT(all_gather(processes, 10 + processes.rank()), ElementsAre(10, 11, 12));
  });
  EXPECT_THAT(all_gather(single_process(), 7), ElementsAre(7));
}

TEST(Collective, SendsListsOfAnyLengthFromAllToAll) {
  run_as_processes(3, [](Communicator& processes) {
    const int me = static_cast<int>(processes.rank());
    std::vector<std::vector<int>> parts(3);
    for (int to = 0; to < 3; ++to)
      parts[static_cast<std::size_t>(to)].assign(static_cast<std::size_t>(to), me);
    const auto received = all_to_all(processes, parts);
    ASSERT_EQ(received.size(), 3U);
    for (int from = 0; from < 3; ++from)
      EXPECT_EQ(received[static_cast<std::size_t>(from)],
                std::vector<int>(static_cast<std::size_t>(me), from));
  });
}

TEST(Collective, BroadcastsFromAnyRoot) {
  run_as_processes(4, [](Communicator& processes) {
    for (std::size_t root = 0; root < 4; ++root)
      EXPECT_EQ(broadcast_value(processes, 100 + processes.rank(), root), 100 + root);
  });
}

// Nobody waits for ever for a process that is gone.
TEST(RunAsProcesses, ThrowsWhatOneOfThemThrew) {
  const auto fails = [](Communicator& processes) {
    if (processes.rank() == 1) throw InvalidOption("rows", "0", "give some");
    broadcast_value(processes, 1, 1);
  };
  EXPECT_THROW(run_as_processes(3, fails), InvalidOption);
}

}  // namespace
}  // namespace strata
