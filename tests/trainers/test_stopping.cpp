#include <gtest/gtest.h>

#include <cmath>

#include "strata/trainers/method_options.h"
#include "strata/trainers/presets.h"
#include "support/training.h"

namespace strata {
namespace {

using testing_support::FakeClock;
using testing_support::random_network;
using testing_support::SmallProblem;
using testing_support::smooth_data;
using testing_support::Trained;
using testing_support::trained;

// A small problem, a scheme, and the run of it.
struct Stop {
  SmallProblem problem;
  Scheme scheme = bld();
  Clock clock = steady_clock();

  [[nodiscard]] TrainingResult run() const { return run_all().result; }
  [[nodiscard]] Trained run_all() const {
    return trained(problem.start, problem.data, scheme, {.objective = problem.objective, .clock = clock});
  }
};

UpdateRecipe endless_lbfgs() {
  return lbfgs({.solver = {.max_iterations = 100000, .gradient_tolerance = 0}});
}

TEST(Stopping, GradientNormEndsTheRunWhenTheFullGradientIsSmall) {
  Stop stop;
  stop.scheme.stopping = {.gradient_norm = 1e-3, .max_sweeps = 5000};
  const TrainingResult result = stop.run();
  EXPECT_EQ(result.reason, StopReason::gradient_tolerance);
  EXPECT_LE(result.gradient_norm, 1e-3);
  EXPECT_EQ(result.history.size(), result.sweeps);
}

TEST(Stopping, TheFullPassOfTheGradientRuleIsCounted) {
  Stop stop;
  stop.scheme.updates = {.hidden = armijo_gradient_steps()};
  stop.scheme.stopping = {.max_sweeps = 3};
  const auto without = stop.run().work.evaluations;
  stop.scheme.stopping = {.gradient_norm = 1e-12, .max_sweeps = 3};
  EXPECT_EQ(stop.run().work.evaluations, without + 3);
}

// On data that every layer but the last can ignore, the first output solve leaves a small full gradient.
TEST(Stopping, GradientWhenIdleWaitsForASweepThatSkippedEveryBlock) {
  Stop stop;
  stop.scheme = b2ld();
  stop.scheme.tolerance = {.first = 1e-2, .factor = 1};
  stop.scheme.stopping = {.gradient_norm = 0.5, .max_sweeps = 4000};
  EXPECT_EQ(stop.run().sweeps, 1U);  // any first sweep gets that far

  stop.scheme.stopping.gradient_every_sweep = false;
  const TrainingResult result = stop.run();
  EXPECT_EQ(result.reason, StopReason::gradient_tolerance);
  EXPECT_GT(result.sweeps, 1U);
  for (const StepRecord& step : result.steps) {
    if (step.sweep + 1 == result.sweeps) {
      EXPECT_TRUE(step.skipped);
    }
  }
  std::size_t worked = 0;
  for (const StepRecord& step : result.steps)
    worked += step.sweep + 2 == result.sweeps && !step.skipped ? 1 : 0;
  EXPECT_GT(worked, 0U);  // the sweep before was not idle
}

// Layer 2 is never looked at and layer 0 twice: three visits of three layers, but not one each.
TEST(Stopping, AnIdleSweepThatMissedALayerDoesNotPassForTheFullGradient) {
  Stop stop;
  stop.scheme.updates = {.hidden = lbfgs()};
  stop.scheme.selection = given_order({{0, 0}, {1, 1}, {0, 0}});
  stop.scheme.tolerance = {.first = 1e3, .factor = 1, .skip = true};  // everything is skipped at once
  stop.scheme.stopping = {.max_sweeps = 2};
  const double full = stop.run().gradient_norm;
  double visited = 0;
  for (const StepRecord& step : stop.run().steps) {
    EXPECT_TRUE(step.skipped);
    if (step.sweep == 0) visited += step.gradient_norm * step.gradient_norm;
  }
  visited = std::sqrt(visited);
  ASSERT_LT(visited, full);
  stop.scheme.stopping.gradient_norm = (visited + full) / 2;
  for (const bool when_idle : {false, true}) {
    stop.scheme.stopping.gradient_every_sweep = !when_idle;
    EXPECT_EQ(stop.run().reason, StopReason::max_sweeps);
  }
}

TEST(Stopping, AToleranceThatSkipsNoLayerVisitsThemAll) {
  Stop stop;
  stop.scheme.updates = {.hidden = lbfgs()};
  stop.scheme.tolerance = {.first = 1e3, .factor = 1, .skip = false};
  stop.scheme.stopping = {.max_sweeps = 2};
  const TrainingResult result = stop.run();
  ASSERT_FALSE(result.steps.empty());
  for (const StepRecord& step : result.steps) EXPECT_FALSE(step.skipped);
}

TEST(Stopping, AnIdleSweepOfSomeLayersTestsTheFullGradient) {
  Stop stop;
  stop.scheme.updates = {.hidden = lbfgs()};
  stop.scheme.selection = fixed_subset({1}, LayerOrder::forward);
  stop.scheme.tolerance = {.first = 1e3, .factor = 1, .skip = true};
  stop.scheme.stopping = {.gradient_norm = 1e3, .gradient_every_sweep = false, .max_sweeps = 5};
  const TrainingResult result = stop.run();
  EXPECT_EQ(result.reason, StopReason::gradient_tolerance);
  EXPECT_EQ(result.sweeps, 1U);
}

TEST(Stopping, GradientEveryVisitEndsTheRunInTheMiddleOfASweep) {
  Stop stop;
  stop.scheme = b2ld();
  stop.scheme.tolerance = {};
  stop.scheme.stopping = {.gradient_norm = 1e-2, .max_sweeps = 4000};
  const TrainingResult sweeps = stop.run();
  stop.scheme.stopping.gradient_every_visit = true;
  const TrainingResult visits = stop.run();
  EXPECT_EQ(visits.reason, StopReason::gradient_tolerance);
  EXPECT_LE(visits.gradient_norm, 1e-2);
  EXPECT_LT(visits.steps.size(), sweeps.steps.size());
  EXPECT_NE(visits.steps.size() % 3, 0U);  // three layers: not after a whole sweep
}

// Of a round: iterations that gain little end the round, and the next begins with an empty history.
TEST(Stopping, ASmallDecreaseInOneIterationEndsARoundAndNotTheRun) {
  Stop stop;
  stop.scheme = preset("lbfgs", 3,
                       {{"inner-decrease", "1e-3"}, {"keep-history", "off"}, {"gradient-every-visit", "on"}});
  stop.scheme.stopping.relative_decrease = 1e-5;
  const TrainingResult result = stop.run();
  EXPECT_EQ(result.reason, StopReason::relative_decrease);
  ASSERT_GT(result.steps.size(), 1U);
  for (const StepRecord& step : result.steps) EXPECT_EQ(step.reason, StopReason::relative_decrease);
  EXPECT_GT(result.steps.front().before - result.steps.front().after, 1e-5);
  EXPECT_LE(result.steps.back().before - result.steps.back().after, 1e-5);

  stop.scheme.stopping.relative_decrease = 0;  // without a rule about rounds the solver's own holds
  EXPECT_EQ(stop.run().steps.size(), 1U);
}

TEST(Stopping, WithTheMaximumNormALayerIsSkippedByItsLargestDerivative) {
  Stop stop;
  stop.scheme = preset("b2ld", 3, {{"inner-norm", "maximum"}});
  stop.scheme.stopping = {.max_sweeps = 1};
  const double euclidean = stop.run().steps.front().gradient_norm;
  stop.scheme.tolerance.first = 0.99 * euclidean;  // only the maximum, which is smaller, is within it
  EXPECT_TRUE(stop.run().steps.front().skipped);
  std::get<BlockLbfgsOptions>(stop.scheme.updates.hidden).solver.gradient_norm = GradientNorm::euclidean;
  EXPECT_FALSE(stop.run().steps.front().skipped);
}

TEST(Stopping, RelativeDecreaseEndsTheRunWhenNoBlockGainsMuch) {
  Stop stop;
  stop.scheme.stopping = {.relative_decrease = 1e-3, .max_sweeps = 5000};
  const TrainingResult result = stop.run();
  EXPECT_EQ(result.reason, StopReason::relative_decrease);
  const auto small = [](const StepRecord& s) {
    return (s.before - s.after) / std::max(s.before, 1.0) <= 1e-3;
  };
  std::size_t large_before = 0;
  for (const StepRecord& step : result.steps) {
    if (step.sweep + 1 == result.sweeps) {
      EXPECT_TRUE(small(step));
    }
    if (step.sweep + 2 == result.sweeps) large_before += small(step) ? 0 : 1;
  }
  EXPECT_TRUE(result.sweeps == 1 || large_before > 0);
}

TEST(Stopping, RelativeDecreaseWaitsUntilEveryLayerHadItsTurn) {
  Stop stop;
  stop.scheme.updates = {.hidden = lbfgs()};
  stop.scheme.selection = one_layer_per_batch(LayerOrder::backward);  // one layer a sweep
  stop.scheme.stopping = {.relative_decrease = 1e9, .max_sweeps = 50};
  const TrainingResult result = stop.run();
  EXPECT_EQ(result.reason, StopReason::relative_decrease);
  EXPECT_EQ(result.sweeps, 3U);
}

TEST(Stopping, MaxSweepsEndsTheRunAfterThatManySweeps) {
  Stop stop;
  stop.scheme.stopping = {.max_sweeps = 7};
  const TrainingResult result = stop.run();
  EXPECT_EQ(result.reason, StopReason::max_sweeps);
  EXPECT_EQ(result.sweeps, 7U);
  EXPECT_EQ(result.history.size(), 7U);
  EXPECT_EQ(result.steps.size(), 21U);
}

TEST(Stopping, MaxEvaluationsEndsTheRunAlsoInsideASolve) {
  for (const std::string_view name : {"b2ld", "bld", "lbfgs", "ig"}) {
    Stop stop;
    stop.scheme = preset(name, 3);
    if (name == "ig") stop.scheme.batches.size = 8;
    if (name == "lbfgs") stop.scheme.updates.hidden = endless_lbfgs();
    stop.scheme.stopping = {.max_evaluations = 40};
    const TrainingResult result = stop.run();
    EXPECT_EQ(result.reason, StopReason::max_evaluations) << name;
    EXPECT_GE(result.work.evaluations, 40U) << name;
    EXPECT_LE(result.work.evaluations, 40U + 2 * 60) << name;  // a line search may still end
  }
}

TEST(Stopping, TimeEndsTheRunByTheClockHandedIn) {
  for (const std::string_view name : {"b2ld", "lbfgs", "bling", "adam"}) {
    FakeClock clock(0.01);  // a hundredth of a second a reading
    Stop stop;
    stop.scheme = preset(name, 3);
    if (stop.scheme.batches.size > 0) stop.scheme.batches.size = 8;
    if (name == "lbfgs") stop.scheme.updates.hidden = endless_lbfgs();
    stop.scheme.reporting.every_sweeps = 0;
    stop.scheme.stopping = {.seconds = 0.6};
    stop.clock = clock.clock();
    const TrainingResult result = stop.run();
    EXPECT_EQ(result.reason, StopReason::time_limit) << name;
    EXPECT_GE(result.seconds, 0.6) << name;
    EXPECT_LT(result.seconds, 0.8) << name;
  }
}

TEST(Stopping, TargetEndsTheRunWhenTheObjectiveIsLowEnough) {
  Stop stop;
  const double start = stop.problem.value_at(stop.problem.start);
  for (const std::string_view name : {"bld", "bling"}) {
    stop.scheme = preset(name, 3);
    if (name == "bling") stop.scheme.batches.size = 8;
    stop.scheme.stopping = {.max_sweeps = 3000, .objective_at_most = start / 4};
    const TrainingResult result = stop.run();
    EXPECT_EQ(result.reason, StopReason::objective_at_most) << name;
    EXPECT_LE(result.value, start / 4) << name;
    ASSERT_GE(result.history.size(), 1U);
    if (result.history.size() > 1) {
      EXPECT_GT(result.history.rbegin()[1].value, start / 4) << name;
    }
  }
}

TEST(Stopping, TheCallbackSeesEverySweepAndMayEndTheRun) {
  Stop stop;
  std::vector<std::size_t> seen;
  stop.scheme.stopping = {.callback = [&seen](const SweepRecord& sweep) {
    seen.push_back(sweep.sweep);
    return sweep.sweep == 3;
  }};
  const TrainingResult result = stop.run();
  EXPECT_EQ(result.reason, StopReason::user_request);
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(result.sweeps, 4U);
}

TEST(Stopping, AnInterruptEndsTheRunInTheMiddleOfASweep) {
  Stop stop;
  stop.scheme.updates = {.hidden = armijo_gradient_steps()};
  int asked = 0;
  stop.scheme.stopping = {.interrupt = [&asked] { return ++asked == 5; }};
  const TrainingResult result = stop.run();
  EXPECT_EQ(result.reason, StopReason::user_request);
  EXPECT_EQ(result.steps.size(), 5U);  // the second of three layers in the second sweep
  EXPECT_EQ(result.sweeps, 2U);
}

// Someone pressed a key once, while L-BFGS was at work: the answer must not be lost.
TEST(Stopping, AnInterruptInsideASolveIsRememberedAlsoIfItIsNotRepeated) {
  for (const std::string_view name : {"b2ld", "lbfgs"}) {
    Stop stop;
    stop.scheme = preset(name, 3);
    int asked = 0;
    stop.scheme.stopping = {.max_sweeps = 500, .interrupt = [&asked] { return ++asked == 4; }};
    const TrainingResult result = stop.run();
    EXPECT_EQ(result.reason, StopReason::user_request) << name;
    EXPECT_EQ(result.steps.size(), 1U) << name;
    EXPECT_EQ(result.steps.at(0).iterations, 3) << name;
  }
}

TEST(Stopping, ASweepThatCanImproveNoLayerEndsTheRun) {
  Stop stop;
  stop.scheme.acceptance = at_least_armijo({.coefficient = 1e12});
  stop.scheme.stopping = {.gradient_norm = 1e-30};
  const TrainingResult result = stop.run();
  EXPECT_EQ(result.reason, StopReason::line_search_failed);
  EXPECT_EQ(result.sweeps, 1U);
  EXPECT_EQ(result.refused, 3U);
}

// --- One solve over all weights

TEST(Stopping, AWholeNetworkSolveEndsAtTheRunsOwnTolerance) {
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    Stop stop;
    stop.scheme = whole_lbfgs();
    stop.scheme.updates.hidden = lbfgs({.solver = {.max_iterations = 100000}});
    stop.scheme.stopping = {.gradient_norm = tolerance, .max_sweeps = 100};
    const TrainingResult result = stop.run();
    EXPECT_EQ(result.reason, StopReason::gradient_tolerance);
    EXPECT_LE(result.gradient_norm, tolerance * (1 + 1e-9));
    EXPECT_GT(result.gradient_norm, tolerance * 1e-3);
    EXPECT_EQ(result.sweeps, 1U);
  }
}

TEST(Stopping, ABlockToleranceAboveTheRunsDoesNotEndTheRun) {
  Stop stop;
  stop.scheme = whole_lbfgs();
  stop.scheme.updates.hidden = lbfgs({.solver = {.max_iterations = 100000}});
  stop.scheme.tolerance = {.first = 1e-1, .factor = 0.1};
  stop.scheme.stopping = {.gradient_norm = 1e-5, .max_sweeps = 100};
  const TrainingResult result = stop.run();
  EXPECT_EQ(result.reason, StopReason::gradient_tolerance);
  EXPECT_LE(result.gradient_norm, 1e-5);
  EXPECT_GT(result.sweeps, 2U);
}

TEST(WholeLbfgs, RunsInRoundsAndTestsTheRelativeDecreaseBetweenThem) {
  Stop stop;
  stop.scheme = preset("lbfgs", 3, {{"iterations", "7"}});
  const TrainingResult result = stop.run();
  EXPECT_TRUE(converged(result.reason)) << result.message;
  ASSERT_EQ(result.steps.size(), result.sweeps);
  std::size_t iterations = 0;
  for (const StepRecord& step : result.steps) {
    EXPECT_LE(step.iterations, 7);
    iterations += static_cast<std::size_t>(step.iterations);
    const double decrease = (step.before - step.after) / std::max(step.before, 1.0);
    EXPECT_TRUE(step.sweep + 1 == result.sweeps || decrease > 1e-4) << step.sweep;
  }
  EXPECT_GT(result.sweeps, 1U);
  EXPECT_EQ(result.updates_per_layer, std::vector<std::size_t>(3, iterations));
}

}  // namespace
}  // namespace strata
