#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "strata/trainers/presets.h"
#include "support/engines.h"
#include "support/replay.h"
#include "support/training.h"

namespace strata {
namespace {

using testing::HasSubstr;
using testing_support::FakeClock;
using testing_support::on_least_memory;
using testing_support::random_network;
using testing_support::SmallProblem;
using testing_support::smooth_data;
using testing_support::Trained;
using testing_support::trained;
using testing_support::weights_of;

// All weights after every step.
std::vector<Vector> trajectory(const Network& start, const Dataset& data, Scheme scheme,
                               const TrainOptions& options) {
  Network network(start);
  StepRecorder recorder(network);
  recorder.attach(scheme);
  train(network, data, scheme, options);
  std::vector<Vector> weights;
  for (const RecordedStep& step : recorder.steps()) weights.push_back(step.weights);
  return weights;
}

Scheme for_sweeps(Scheme scheme, std::size_t count) {
  scheme.stopping = {.max_sweeps = count};
  return scheme;
}

TEST(Minibatch, ActivationsKeptWithinAMinibatchEqualRecomputationBitForBit) {
  const Dataset data = smooth_data(203, 3);
  const Network start = random_network({.inputs = 3, .hidden = {6, 5, 4, 5}});
  for (const std::size_t batch : {1U, 5U, 32U, 150U}) {
    for (const SelectionRecipe& selection :
         {backward_sweep(), forward_sweep(), random_sweep(), random_subset(2, LayerOrder::backward)}) {
      Scheme scheme = for_sweeps(bling(5, batch), 3);
      scheme.selection = selection;
      const auto kept = trajectory(start, data, scheme, {.objective = {.l2 = 1e-4}, .seed = 2});
      const auto recomputed = on_least_memory(data, [&](Engine& engine) {
        return trajectory(start, data, scheme, {.objective = {.l2 = 1e-4}, .engine = &engine, .seed = 2});
      });
      EXPECT_EQ(kept, recomputed) << "batches of " << batch;
    }
  }
}

// Five layers in backward order: the deepest visit needs all four hidden layers below it, the others reuse them.
TEST(Minibatch, BackwardOrderNeedsOneForwardPassForAllPrefixes) {
  const Dataset data = smooth_data(64, 3);
  const Network start = random_network({.inputs = 3, .hidden = {6, 5, 4, 5}});
  Scheme scheme = for_sweeps(bling(5, 32), 1);
  const Work work = trained(start, data, scheme, {}).result.work;
  // Per row: 4 layers of prefix; visiting layer l runs forward through layers l .. 5.
  EXPECT_EQ(work.forward, 64U * (4 + 1 + 2 + 3 + 4 + 5));
  EXPECT_EQ(work.weight_gradient, 64U * 5);
}

TEST(Minibatch, IgEqualsBlingOnANetworkOfOneLayer) {
  const Dataset data = smooth_data(90, 3, 2);
  const Network start = random_network({.inputs = 3, .hidden = {}, .outputs = 2});
  const auto options = TrainOptions{.objective = {.l2 = 1e-3}};
  EXPECT_EQ(trajectory(start, data, for_sweeps(ig(16), 4), options),
            trajectory(start, data, for_sweeps(bling(1, 16), 4), options));
}

TEST(Minibatch, LayersAreVisitedInTheOrderAskedFor) {
  const Dataset data = smooth_data(40, 3);
  const Network start = random_network({.inputs = 3, .hidden = {4, 4}});
  const auto layers = [&](SelectionRecipe selection) {
    Scheme scheme = for_sweeps(bling(3, 20), 1);
    scheme.selection = std::move(selection);
    scheme.reporting.steps = true;
    std::vector<std::size_t> order;
    for (const StepRecord& step : trained(start, data, scheme, {}).result.steps)
      order.push_back(step.block.first);
    return order;
  };
  EXPECT_THAT(layers(backward_sweep()), testing::ElementsAre(2U, 1U, 0U, 2U, 1U, 0U));
  EXPECT_THAT(layers(forward_sweep()), testing::ElementsAre(0U, 1U, 2U, 0U, 1U, 2U));
  EXPECT_THAT(layers(one_layer_per_batch(LayerOrder::backward)), testing::ElementsAre(2U, 1U));
}

TEST(Minibatch, BatchesOfAnySizeTrain) {
  const SmallProblem problem;
  const double before = problem.value_at(problem.start);
  for (const std::size_t batch : {1U, 2U, 3U, 5U, 7U, 9U, 31U, 59U, 60U, 1000U})
    for (const std::string_view name : {"bling", "ig", "sg", "adam", "two-block"}) {
      Scheme scheme = for_sweeps(preset(name, 3), 20);
      scheme.batches.size = batch;
      scheme.step_size.first = 0.05;
      const auto [network, result] =
          trained(problem.start, problem.data, scheme, {.objective = problem.objective});
      EXPECT_LT(result.value, before) << name << ", batches of " << batch;
      EXPECT_NEAR(result.value, problem.value_at(network), 1e-14);
      EXPECT_EQ(result.history.size(), 20U);
    }
}

TEST(Minibatch, TheNetworkEndsWithTheBestWeightsThatWereMeasured) {
  const SmallProblem problem;
  Scheme scheme = for_sweeps(sg(8), 30);
  scheme.step_size = {.rule = StepSize::Rule::constant, .first = 2};  // far too long: it jumps about
  const auto [network, result] =
      trained(problem.start, problem.data, scheme, {.objective = problem.objective});
  double best = result.history.front().value;
  for (const SweepRecord& sweep : result.history) best = std::min(best, sweep.value);
  EXPECT_LT(best, result.history.back().value);
  EXPECT_EQ(result.value, best);
  EXPECT_EQ(problem.value_at(network), best);
}

// --- The full objective: only when asked for, and not at the method's expense

// The squared loss, with a clock that moves when whole values are asked for: gradients do not ask for them.
class SlowValue final : public Loss {
 public:
  explicit SlowValue(FakeClock& clock) : clock_(clock) {}
  [[nodiscard]] std::string text() const override { return "slow"; }

  [[nodiscard]] double value(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                             std::size_t samples) const override {
    clock_.advance(100);
    ++values_;
    return squared_loss().value(out, target, weights, samples);
  }
  double value_and_delta(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                         std::size_t samples, double scale, Matrix delta) const override {
    return squared_loss().value_and_delta(out, target, weights, samples, scale, delta);
  }
  void curvature(ConstMatrix /*out*/, ConstMatrix /*target*/, std::size_t /*samples*/,
                 Matrix /*state*/) const override {}
  void curvature_times(ConstMatrix /*state*/, std::size_t /*samples*/, Matrix /*u*/) const override {}
  void root_times(ConstMatrix /*state*/, std::size_t /*samples*/, Matrix /*u*/) const override {}
  void best_constant(ConstMatrix /*targets*/, std::span<const double> /*weights*/,
                     std::span<double> /*outputs*/) const override {}
  [[nodiscard]] int values() const { return values_; }

 private:
  FakeClock& clock_;
  mutable int values_ = 0;
};

struct ReportedRun {
  TrainingResult result;
  int values;  // evaluations of the full objective
};

ReportedRun reported_run(Scheme scheme, const Reporting& reporting, std::size_t sweeps) {
  const SmallProblem problem;  // 60 rows, one panel: one call of the loss is one evaluation
  FakeClock clock;
  const SlowValue loss(clock);
  scheme.batches.size = 6;
  scheme.stopping = {.max_sweeps = sweeps};
  scheme.reporting = reporting;
  scheme.observers.step = [&clock](const StepRecord&) { clock.advance(0.5); };
  TrainingResult result =
      trained(problem.start, problem.data, scheme, {.objective = {.loss = &loss}, .clock = clock.clock()})
          .result;
  return {std::move(result), loss.values()};
}

std::vector<std::size_t> measured_sweeps(const TrainingResult& result) {
  std::vector<std::size_t> sweeps;
  for (const SweepRecord& sweep : result.history)
    if (std::isfinite(sweep.value)) sweeps.push_back(sweep.sweep);
  return sweeps;
}

TEST(Reporting, TheFullObjectiveIsEvaluatedEverySoManySweepsAndAtTheEnd) {
  const auto [result, values] = reported_run(ig(), {.every_sweeps = 3}, 10);
  EXPECT_THAT(measured_sweeps(result), testing::ElementsAre(2U, 5U, 8U, 9U));
  EXPECT_EQ(values, 4);
  EXPECT_EQ(result.history.size(), 10U);

  const ReportedRun never = reported_run(ig(), {.every_sweeps = 0}, 10);
  EXPECT_THAT(measured_sweeps(never.result), testing::ElementsAre(9U));
  EXPECT_EQ(never.values, 1);
}

TEST(Reporting, TheFullObjectiveIsEvaluatedEverySoManySecondsOfChargedTime) {
  // Ten steps of half a second a sweep: 20 seconds in all.
  const auto [result, values] = reported_run(ig(), {.every_sweeps = 0, .every_seconds = 4}, 4);
  std::vector<double> times;
  for (const SweepRecord& sweep : result.history)
    if (std::isfinite(sweep.value)) times.push_back(sweep.seconds);
  EXPECT_THAT(times, testing::ElementsAre(4, 8, 12, 16, 20, 20));  // the last one is the end of the run
  EXPECT_EQ(values, 6);
}

TEST(Reporting, EvaluationsThatAreOnlyReportedAreNotChargedAndBothTimesAreTold) {
  for (const std::string_view name : {"ig", "bling", "adam", "svrg"}) {
    const ReportedRun often = reported_run(preset(name, 3), {.every_sweeps = 1}, 5);
    const ReportedRun never = reported_run(preset(name, 3), {.every_sweeps = 0}, 5);
    const double own = name == "bling" ? 75 : 25;  // half a second a step
    EXPECT_EQ(often.result.seconds, own) << name;
    EXPECT_EQ(never.result.seconds, own) << name;
    EXPECT_EQ(often.result.elapsed_seconds, own + 500) << name;
    EXPECT_EQ(never.result.elapsed_seconds, own + 100) << name;
    EXPECT_EQ(often.result.work, never.result.work) << name;
    EXPECT_EQ(often.result.history.back().seconds, own) << name;
  }
}

TEST(Reporting, MeanLossIsTheMeanOverTheMinibatchesAsTheyWereVisited) {
  const SmallProblem problem;
  for (const std::string_view name : {"ig", "bling", "two-block"}) {
    Scheme scheme = for_sweeps(preset(name, 3), 3);
    scheme.batches.size = 8;
    scheme.reporting.steps = true;
    if (name == "bling") scheme.selection = given_order({{2, 2}, {0, 1}, {2, 2}});
    const TrainingResult result = trained(problem.start, problem.data, scheme, {}).result;
    const std::size_t first = name == "two-block" ? 0 : 2;  // the layer that tells the loss of a minibatch
    std::vector<double> sums(3, 0.0);
    std::size_t previous = 99;
    for (const StepRecord& step : result.steps) {
      const bool all_rows = name == "two-block" && step.block.first == 2;
      const bool again = name == "bling" && (step.block.first != first || step.batch == previous);
      if (!all_rows && !again) sums[step.sweep] += step.before;
      previous = step.batch;
    }
    for (const SweepRecord& sweep : result.history)
      EXPECT_NEAR(sweep.mean_loss, sums[sweep.sweep] / 8, 1e-15) << name;
  }
}

// --- One batch of all rows: gradient steps do not tell the objective, so it is measured

TEST(WholeBatchGradientSteps, AreMeasuredKeptAndStoppedLikeAnyOther) {
  const SmallProblem problem;
  Scheme scheme = for_sweeps(ig(1000), 40);
  const auto [network, result] =
      trained(problem.start, problem.data, scheme, {.objective = problem.objective});
  for (const SweepRecord& sweep : result.history) EXPECT_TRUE(std::isfinite(sweep.value));
  EXPECT_EQ(problem.value_at(network), result.value);
  double best = result.history.front().value;
  for (const SweepRecord& sweep : result.history) best = std::min(best, sweep.value);
  EXPECT_EQ(result.value, best);

  scheme.stopping = {.max_sweeps = 1000, .objective_at_most = 0.5 * problem.value_at(problem.start)};
  EXPECT_EQ(trained(problem.start, problem.data, scheme, {.objective = problem.objective}).result.reason,
            StopReason::objective_at_most);
}

// --- Two blocks

TEST(TwoBlock, SolvesTheOutputLayerOnAllRowsThenStepsOnTheHiddenLayers) {
  const SmallProblem problem;
  for (const std::size_t batch : {8U, 60U, 500U}) {  // also when one minibatch holds all rows
    Scheme scheme = for_sweeps(two_block(batch), 3);
    scheme.reporting.steps = true;
    const auto [network, result] =
        trained(problem.start, problem.data, scheme, {.objective = problem.objective});
    std::size_t output = 0, hidden = 0;
    for (std::size_t i = 0; i < result.steps.size(); ++i) {
      const StepRecord& step = result.steps[i];
      const bool first_of_sweep = i == 0 || result.steps[i - 1].sweep != step.sweep;
      EXPECT_EQ(step.block, first_of_sweep ? (Block{2, 2}) : (Block{0, 1}));
      if (first_of_sweep) {
        EXPECT_EQ(step.reason, StopReason::solved);
      }
      (first_of_sweep ? output : hidden) += 1;
    }
    EXPECT_EQ(output, 3U);
    EXPECT_EQ(hidden, 3 * ((60 + batch - 1) / batch));
    EXPECT_EQ(result.updates_per_layer, (std::vector<std::size_t>{hidden, hidden, 3}));
    EXPECT_NEAR(result.steps.front().before, problem.value_at(problem.start), 1e-14);
  }
}

// --- Steps that are not finite

// Of the steps that were taken; a step after a refusal is never longer than the one before.
double last_of_falling_step_sizes(const TrainingResult& result) {
  double step_size = std::numeric_limits<double>::infinity();
  for (const StepRecord& step : result.steps)
    if (!step.refused) {
      EXPECT_LE(step.step_size, step_size);
      step_size = step.step_size;
    }
  return step_size;
}

// The first steps are so long that the next gradient overflows. The run goes back, halves the step, and recovers.
TEST(NonFiniteSteps, AreRefusedTheStepIsHalvedAndTheRunRecovers) {
  const Dataset data = smooth_data(60, 3);
  const Network start = random_network({.inputs = 3, .hidden = {6, 6}, .activation = Activation::relu}, 7);
  const SmallProblem problem{.data = data, .start = start, .objective = {.l2 = 1e-3}};
  const double before = problem.value_at(start);
  for (const std::size_t batch : {10U, 60U})
    for (const bool layers : {false, true}) {
      Scheme scheme = with_update("steps", gradient_step({.normalise = false}), batch);
      scheme.batches.partition = Partition::fixed;
      if (layers) scheme.selection = backward_sweep();
      scheme.step_size = {.rule = StepSize::Rule::constant, .first = 1e180};
      scheme.stopping = {.max_sweeps = 3000};
      scheme.reporting.steps = true;
      const auto [network, result] = trained(start, data, scheme, {.objective = problem.objective});
      EXPECT_GT(result.refused, 0U);
      EXPECT_TRUE(std::isfinite(result.value)) << result.message;
      EXPECT_LE(result.value, before) << result.message;
      EXPECT_EQ(result.value, problem.value_at(network));
      EXPECT_THAT(result.message, HasSubstr(std::to_string(result.refused) + " steps refused"));
      EXPECT_THAT(result.message, HasSubstr("step size halved"));
      for (const StepRecord& step : result.steps) {
        EXPECT_EQ(step.refused, std::isnan(step.step_size));
        EXPECT_EQ(step.refused, step.reason == StopReason::non_finite);
      }
      EXPECT_LT(last_of_falling_step_sizes(result), 1e180);
    }
}

// A method that never gets anywhere gives back what it was given.
TEST(NonFiniteSteps, KeepTheBestPointWhenNothingHelps) {
  const Dataset data = smooth_data(60, 3);
  const Network start = random_network({.inputs = 3, .hidden = {6, 6}, .activation = Activation::relu}, 7);
  const SmallProblem problem{.data = data, .start = start, .objective = {}};
  const double before = problem.value_at(start);
  for (const UpdateRecipe& update : {adam({.rate = 1e200}), adagrad({.rate = 1e200}), svrg({.rate = 1e200}),
                                     saga({.rate = 1e200}), gradient_step({.normalise = false})}) {
    Scheme scheme = with_update("steps", update, 10);
    scheme.batches.partition = Partition::fixed;
    scheme.step_size = {.rule = StepSize::Rule::constant, .first = 1e200};
    scheme.stopping = {.max_sweeps = 5};
    scheme.reporting.steps = true;
    for (const std::size_t every : {0U, 1U}) {
      scheme.reporting.every_sweeps = every;
      const auto [network, result] = trained(start, data, scheme, {});
      EXPECT_GT(result.refused, 0U);
      EXPECT_TRUE(std::isfinite(result.value)) << result.message;
      EXPECT_LE(result.value, before) << result.message;
      EXPECT_EQ(result.value, problem.value_at(network));
      EXPECT_THAT(result.message, HasSubstr("refused"));
      EXPECT_LT(last_of_falling_step_sizes(result), 1e200);
    }
  }
}

}  // namespace
}  // namespace strata
