// Training with the rows spread over processes gives the weights of one process, to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <mutex>
#include <optional>

#include "strata/core/errors.h"
#include "strata/data/shared_rows.h"
#include "strata/parallel/collective.h"
#include "strata/parallel/thread_communicator.h"
#include "strata/trainers/presets.h"
#include "support/short_tests.h"
#include "support/training.h"

namespace strata {
namespace {

using testing_support::FakeClock;
using testing_support::random_network;
using testing_support::random_weights;
using testing_support::short_tests;
using testing_support::smooth_data;
using testing_support::Trained;
using testing_support::trained;
using testing_support::weights_of;

struct SharedProblem {
  Dataset data;
  Network start;
};

SharedProblem one_output() {
  return {smooth_data(1500, 3), random_network({.inputs = 3, .hidden = {6, 5}, .bias = Bias::per_layer})};
}
SharedProblem two_outputs_with_weights() {
  SharedProblem problem{smooth_data(9001, 2, 2),
                        random_network({.inputs = 2, .hidden = {4, 4, 3}, .outputs = 2})};
  problem.data.weights = random_weights(9001);
  return problem;
}

Scheme short_run(std::string_view method, std::size_t layers) {
  Scheme scheme = preset(method, layers);
  scheme.stopping = {.max_sweeps = scheme.batches.size > 0 ? 2U : 3U};
  return scheme;
}

// The weights that every process ends with, and what the first one says.
Trained train_on(std::size_t count, const SharedProblem& problem, const Scheme& scheme,
                 const TrainOptions& options, std::size_t threads = 1) {
  std::optional<Trained> first;
  std::mutex mutex;
  run_as_processes(count, [&](Communicator& processes) {
    ASSERT_EQ(processes.size(), count);
    TrainOptions mine = options;
    Engine engine({.threads = threads, .processes = &processes});
    mine.engine = &engine;
    Trained result = trained(problem.start, share_rows(problem.data, processes), scheme, mine);
    const std::scoped_lock lock(mutex);
    if (first) {
      EXPECT_EQ(weights_of(result.network), weights_of(first->network)) << processes.rank();
    }
    if (!first || processes.rank() == 0) first.emplace(std::move(result));
  });
  return std::move(*first);
}

class Processes : public testing::TestWithParam<std::string> {
 protected:
  static void expect_same_bits(const SharedProblem& problem, const TrainOptions& options) {
    const Scheme scheme = short_run(GetParam(), problem.start.layers());
    const Trained alone = trained(problem.start, problem.data, scheme, options);
    using Counts = std::vector<std::size_t>;
    for (const std::size_t count : short_tests() ? Counts{3} : Counts{1, 2, 3, 4})
      for (const std::size_t threads : short_tests() ? Counts{2} : Counts{1, 2}) {
        const Trained together = train_on(count, problem, scheme, options, threads);
        EXPECT_EQ(weights_of(together.network), weights_of(alone.network))
            << count << " processes, " << threads << " threads";
        EXPECT_EQ(together.result.value, alone.result.value);
        EXPECT_EQ(together.result.work.evaluations, alone.result.work.evaluations);
        EXPECT_EQ(together.result.work.forward, alone.result.work.forward);
        EXPECT_EQ(together.result.traffic.messages == 0, count == 1);
      }
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, Processes,
                         testing::Values("b2ld", "lbfgs", "blgn", "bling", "ig", "svrg", "mrbcd"));

TEST_P(Processes, GiveTheBitsOfOne) {
  expect_same_bits(one_output(), {.objective = {.l2 = 1e-5}, .seed = 4});
}

TEST_P(Processes, GiveTheBitsOfOneWithWeightsAndSeveralOutputs) {
  expect_same_bits(two_outputs_with_weights(), {.objective = {.l2 = 1e-5}, .seed = 4});
}

TEST_P(Processes, GiveTheBitsOfOneWithRowsHeldOut) {
  expect_same_bits(one_output(),
                   {.objective = {.l2 = 1e-5}, .seed = 4, .validation = {.fraction = 0.2, .patience = 1}});
}

TEST(Processes, GiveTheBitsOfOneWhereBatchesGrowInsideAnEpoch) {
  const SharedProblem problem = two_outputs_with_weights();
  Scheme scheme = short_run("blgn", problem.start.layers());
  scheme.batches.size = 128;
  scheme.batches.grow_after = 2048;
  const Trained alone = trained(problem.start, problem.data, scheme, {.seed = 4});
  EXPECT_GT(alone.result.history.front().batch_size, 128U);  // in the first epoch
  for (const std::size_t count : {1, 2, 3}) {
    const Trained together = train_on(count, problem, scheme, {.seed = 4});
    EXPECT_EQ(weights_of(together.network), weights_of(alone.network)) << count;
  }
}

TEST_P(Processes, MoreThanThereAreRows) {
  const SharedProblem problem{smooth_data(5, 2), random_network({.inputs = 2, .hidden = {3}})};
  const Scheme scheme = short_run(GetParam(), 2);
  const Trained alone = trained(problem.start, problem.data, scheme, {});
  EXPECT_EQ(weights_of(train_on(8, problem, scheme, {}).network), weights_of(alone.network));
}

// The clocks of machines differ; the first one's counts, and nobody waits for the others.
TEST_P(Processes, StopTogetherThoughTheirClocksDiffer) {
  const SharedProblem problem = one_output();
  Scheme scheme = short_run(GetParam(), problem.start.layers());
  scheme.stopping = {.seconds = 1};
  run_as_processes(3, [&](Communicator& processes) {
    FakeClock clock(processes.rank() == 0 ? 0.01 : 1e3 * static_cast<double>(processes.rank()));
    Engine engine({.processes = &processes});
    const TrainOptions options{.engine = &engine, .clock = clock.clock()};
    const Trained result = trained(problem.start, share_rows(problem.data, processes), scheme, options);
    EXPECT_EQ(result.result.reason, StopReason::time_limit);
    EXPECT_EQ(all_gather(processes, result.result.seconds), std::vector<double>(3, result.result.seconds));
  });
}

// Ctrl-C reaches the processes at different moments.
TEST_P(Processes, StopTogetherWhenTheFirstIsInterrupted) {
  const SharedProblem problem = one_output();
  run_as_processes(3, [&](Communicator& processes) {
    Scheme scheme = short_run(GetParam(), problem.start.layers());
    int asked = 0;
    scheme.stopping = {.max_sweeps = 1000, .interrupt = [&] { return processes.rank() != 0 || ++asked > 5; }};
    Engine engine({.processes = &processes});
    const TrainOptions options{.engine = &engine};
    const Trained result = trained(problem.start, share_rows(problem.data, processes), scheme, options);
    EXPECT_EQ(result.result.reason, StopReason::user_request);
    EXPECT_EQ(all_gather(processes, result.result.value), std::vector<double>(3, result.result.value));
  });
}

TEST_P(Processes, ResumeWhatAnotherNumberOfThemSaved) {
  const SharedProblem problem = one_output();
  Scheme scheme = short_run(GetParam(), problem.start.layers());
  const Trained whole = trained(problem.start, problem.data, scheme, {.seed = 4});
  Scheme cut = scheme;
  int asked = 0;
  cut.stopping.interrupt = [&] { return ++asked > 4; };  // asked at the first process alone
  State saved;
  TrainOptions saving{.seed = 4};
  std::mutex mutex;
  saving.checkpoints.save = [&](const State& state) {
    const std::scoped_lock lock(mutex);
    saved = state;
  };
  train_on(3, problem, cut, saving);
  for (const std::size_t count : {1, 2}) {
    TrainOptions resuming{.seed = 4};
    resuming.checkpoints.resume = &saved;
    const Trained resumed = train_on(count, problem, scheme, resuming);
    EXPECT_EQ(weights_of(resumed.network), weights_of(whole.network)) << count;
  }
}

// A block method sends one layer's gradient, an Armijo trial one number: far less than sums over the network.
TEST(Processes, OfABlockMethodSendLessThanThoseOfOneOverAllWeights) {
  const SharedProblem problem = one_output();
  const auto bytes_per_evaluation = [&](std::string_view method) {
    const TrainingResult result = train_on(2, problem, short_run(method, 3), {}).result;
    return static_cast<double>(result.traffic.bytes) / static_cast<double>(result.work.evaluations);
  };
  EXPECT_LT(bytes_per_evaluation("b2ld"), 0.75 * bytes_per_evaluation("lbfgs"));
}

TEST(Processes, RefuseDataWithTheSentenceOfTheOneThatFoundTheMistake) {
  SharedProblem problem = one_output();
  problem.data.x(1400, 0) = std::numeric_limits<double>::quiet_NaN();
  try {
    train_on(3, problem, short_run("b2ld", 3), {});
    FAIL() << "not refused";
  } catch (const InvalidOption& refusal) {
    EXPECT_THAT(refusal.what(), testing::HasSubstr("row 1401 "));
  }
}

}  // namespace
}  // namespace strata
