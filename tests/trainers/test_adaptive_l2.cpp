#include "strata/trainers/adaptive_l2.h"

#include <gtest/gtest.h>

#include <cmath>

#include "strata/core/errors.h"
#include "strata/data/shared_rows.h"
#include "strata/parallel/thread_communicator.h"
#include "strata/trainers/presets.h"
#include "support/training.h"

namespace strata {
namespace {

using testing_support::FakeClock;
using testing_support::smooth_data;
using testing_support::weights_of;

constexpr std::size_t count = 3000;

// A target that a network can learn to the last digits, or, with noise, only in part.
struct NoisyProblem {
  explicit NoisyProblem(double noise) {
    RandomStream random(5);
    for (Dataset* set : {&data, &held_out})
      for (double& target : set->targets) target += random.uniform(-noise, noise);
    rows.emplace(data, serial_engine());
    validation.emplace(held_out, serial_engine());
    scheme.stopping = {.max_sweeps = 40};
  }

  Dataset data = smooth_data(count, 3);
  Dataset held_out = smooth_data(200, 3, 1, 9);
  std::optional<PackedRows> rows, validation;
  Network start = testing_support::random_network({.inputs = 3, .hidden = {12}}, 2, 1.0);
  Scheme scheme = bld();

  [[nodiscard]] TrainingRows training_rows() const { return {*rows, &*validation}; }
  // The validation loss of the best constant under the squared loss: the variance.
  [[nodiscard]] double variance() const {
    double sum = 0, squares = 0;
    for (const double y : held_out.targets) {
      sum += y;
      squares += y * y;
    }
    const auto n = static_cast<double>(held_out.rows);
    return squares / n - sum / n * (sum / n);
  }
};

TEST(AdaptiveL2, OneRunIsEnoughWhereNoiseIsLeft) {
  const NoisyProblem problem(2);
  Network network(problem.start);
  const AdaptiveL2Result found = train_with_adaptive_l2(network, problem.training_rows(), problem.scheme, {});
  EXPECT_DOUBLE_EQ(found.l2, 1.0 / count);
  Network by_hand(problem.start);
  const TrainingResult once =
      train(by_hand, problem.training_rows(), problem.scheme, {.objective = {.l2 = 1.0 / count}});
  EXPECT_EQ(weights_of(network), weights_of(by_hand));
  EXPECT_EQ(found.training.validation_loss, once.validation_loss);
}

TEST(AdaptiveL2, ATargetWithoutNoiseIsTrainedOnWithAPenaltyOfItsOwnSize) {
  const NoisyProblem problem(0);
  Network network(problem.start);
  std::vector<double> losses;
  Scheme scheme = problem.scheme;
  scheme.observers.sweep = [&](const SweepRecord& record) { losses.push_back(record.validation_loss); };
  int measured = 0;
  TrainOptions options;
  options.measure_result = [&](bool /*in_one_pass*/) { return ++measured > 0; };
  const AdaptiveL2Result found = train_with_adaptive_l2(network, problem.training_rows(), scheme, options);
  EXPECT_EQ(measured, 1);  // in the last run
  EXPECT_TRUE(std::isfinite(found.training.value));

  // Shares that were taken, from the losses of the sweeps.
  double share = 1;
  int runs = 1;
  for (const double loss : losses)
    if (loss / problem.variance() < 0.3 * share && ++runs > 0) share = loss / problem.variance();
  EXPECT_GE(runs, 3);
  EXPECT_NEAR(found.l2 * count, share, 1e-9 * share);
  EXPECT_EQ(found.training.sweeps, 40U);  // the limit is one for all runs
  EXPECT_EQ(losses.size(), 40U);
  EXPECT_EQ(found.training.validation_loss, Objective(network, *problem.validation, {}).value());

  Network fixed(problem.start);
  const TrainingResult once =
      train(fixed, problem.training_rows(), problem.scheme, {.objective = {.l2 = 1.0 / count}});
  EXPECT_LT(found.training.validation_loss, 0.5 * once.validation_loss);
}

TEST(AdaptiveL2, TheTimeLimitIsOneForAllRuns) {
  const NoisyProblem problem(0);
  Network network(problem.start);
  Scheme scheme = problem.scheme;
  scheme.stopping = {.seconds = 20};
  FakeClock clock(0.01);
  const AdaptiveL2Result found =
      train_with_adaptive_l2(network, problem.training_rows(), scheme, {.clock = clock.clock()});
  EXPECT_LT(found.l2, 0.01 / count);  // several runs
  EXPECT_NEAR(found.training.seconds, 20, 0.5);
  EXPECT_GE(found.training.elapsed_seconds, found.training.seconds);
  EXPECT_EQ(found.training.reason, StopReason::time_limit);
  EXPECT_EQ(found.training.message, found.training.brief());
}

// Batches that grow within a run.
Scheme growing_batches(const Network& network) {
  Scheme scheme = preset("blgn", network.layers());
  scheme.batches.size = 32;
  scheme.stopping = {.max_sweeps = 40};
  return scheme;
}

// From small batches the validation error would rise again, for longer than a short patience.
TEST(AdaptiveL2, ALaterRunBeginsWithAQuarterOfTheBatch) {
  const NoisyProblem problem(0);
  Scheme scheme = growing_batches(problem.start);
  std::vector<std::size_t> sizes;
  std::size_t later_runs = 0;
  scheme.observers.sweep = [&](const SweepRecord& record) {
    if (record.sweep == 0 && !sizes.empty()) {
      EXPECT_EQ(record.batch_size, std::max<std::size_t>(sizes.front(), sizes.back() / 4));
      later_runs += sizes.back() / 4 > sizes.front() ? 1 : 0;
    }
    sizes.push_back(record.batch_size);
  };
  Network network(problem.start);
  train_with_adaptive_l2(network, problem.training_rows(), scheme, {});
  EXPECT_GE(later_runs, 1U);
}

// A run that would begin with no sweep left would have no limit at all.
TEST(AdaptiveL2, TheLimitOnSweepsIsOneForAllRuns) {
  const NoisyProblem problem(0);
  std::vector<std::size_t> ends;  // how many sweeps there were when a run gave way to the next
  std::size_t sweeps = 0;
  Scheme scheme = problem.scheme;
  scheme.observers.sweep = [&](const SweepRecord& record) {
    if (record.sweep == 0 && sweeps > 0) ends.push_back(sweeps);
    ++sweeps;
  };
  Network network(problem.start);
  train_with_adaptive_l2(network, problem.training_rows(), scheme, {});
  ASSERT_GE(ends.size(), 2U);
  for (std::size_t run = 0; run < 2; ++run)
    for (const std::size_t more : {0U, 1U}) {
      scheme.stopping.max_sweeps = ends[run] + more;
      sweeps = 0;
      Network limited(problem.start);
      const AdaptiveL2Result found = train_with_adaptive_l2(limited, problem.training_rows(), scheme, {});
      EXPECT_EQ(found.training.sweeps, ends[run] + more);
      EXPECT_EQ(sweeps, ends[run] + more);
      EXPECT_EQ(found.training.reason, StopReason::max_sweeps);
    }
}

void expect_that_stopping_changes_nothing(const NoisyProblem& problem, const Scheme& scheme) {
  Network whole(problem.start);
  const AdaptiveL2Result expected = train_with_adaptive_l2(whole, problem.training_rows(), scheme, {});
  ASSERT_LT(expected.l2, 1.0 / count);  // several runs

  for (const int stop_at : {1, 30}) {  // in the first run, and in a later one
    State saved;
    Network first(problem.start);
    Scheme stopped = scheme;
    int sweeps = 0;
    stopped.stopping.callback = [&](const SweepRecord&) { return ++sweeps == stop_at; };
    train_with_adaptive_l2(first, problem.training_rows(), stopped,
                           {.checkpoints = {.save = [&](const State& state) { saved = state; }}});
    ASSERT_EQ(sweeps, stop_at);
    Network second(problem.start);
    const AdaptiveL2Result continued =
        train_with_adaptive_l2(second, problem.training_rows(), scheme, {.checkpoints = {.resume = &saved}});
    EXPECT_EQ(weights_of(second), weights_of(whole)) << stop_at;
    EXPECT_EQ(continued.l2, expected.l2);
    EXPECT_EQ(continued.training.sweeps, expected.training.sweeps);
    EXPECT_EQ(continued.training.work.evaluations, expected.training.work.evaluations);
  }
}

TEST(AdaptiveL2, ARunThatWasStoppedContinuesToTheSameBits) {
  const NoisyProblem problem(0);
  expect_that_stopping_changes_nothing(problem, problem.scheme);
  expect_that_stopping_changes_nothing(problem, growing_batches(problem.start));
}

TEST(AdaptiveL2, ProcessesEndTogetherWhereTheUserStopsTheFirst) {
  const NoisyProblem problem(0);
  run_as_processes(2, [&](Communicator& processes) {
    Engine engine({.processes = &processes});
    const PackedRows rows(share_rows(problem.data, processes), engine);
    const PackedRows validation(share_rows(problem.held_out, processes), engine);
    Scheme scheme = problem.scheme;
    const double enough = 0.3 * problem.variance();  // where another run would be worth while
    if (processes.rank() == 0)
      scheme.stopping.callback = [&](const SweepRecord& record) { return record.validation_loss < enough; };
    Network network(problem.start);
    const AdaptiveL2Result found =
        train_with_adaptive_l2(network, {rows, &validation}, scheme, {.engine = &engine});
    EXPECT_EQ(found.training.reason, StopReason::user_request);
    EXPECT_DOUBLE_EQ(found.l2, 1.0 / count);
  });
}

TEST(AdaptiveL2, NeedsValidationRows) {
  const NoisyProblem problem(0);
  Network network(problem.start);
  EXPECT_THROW(train_with_adaptive_l2(network, {*problem.rows}, problem.scheme, {}), InvalidOption);
}

}  // namespace
}  // namespace strata
