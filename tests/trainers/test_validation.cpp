#include "strata/trainers/validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "strata/core/errors.h"
#include "strata/trainers/presets.h"
#include "support/training.h"

namespace strata {
namespace {

using testing_support::FakeClock;
using testing_support::feature_matrix;
using testing_support::SmallProblem;
using testing_support::smooth_data;
using testing_support::trained;
using testing_support::Trained;
using testing_support::weights_of;

// By prediction and plain sums, apart from the objective.
double mean_squared_error(const Network& network, const Dataset& data) {
  Vector out(data.rows * data.outputs);
  Vector features;
  network.predict(feature_matrix(data, features), {out.data(), data.rows, data.outputs});
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += (out[i] - data.targets[i]) * (out[i] - data.targets[i]);
  return sum / static_cast<double>(data.rows);
}

// Targets without any relation to the inputs: what is learned here is wrong elsewhere.
Dataset noise(std::size_t rows, std::uint64_t seed) {
  Dataset data = smooth_data(rows, 3);
  RandomStream random(seed);
  for (double& target : data.targets) target = random.uniform(-1, 1);
  return data;
}

Scheme small_scheme(std::string_view name, std::size_t sweeps) {
  Scheme scheme = preset(name, 3);
  if (scheme.batches.size > 0) scheme.batches.size = 16;
  scheme.stopping = {.max_sweeps = sweeps};
  return scheme;
}

TEST(Validation, EveryMethodReturnsTheWeightsWithTheLowestErrorAndSaysWhich) {
  const SmallProblem problem;
  const Dataset held_out = noise(40, 7);
  for (const MethodInfo& method : methods()) {
    const Trained done = trained(problem.start, problem.data, small_scheme(method.name, 4),
                                 {.objective = problem.objective, .validation = {.data = &held_out}});
    const TrainingResult& result = done.result;
    double lowest = mean_squared_error(problem.start, held_out);
    std::size_t sweep = 0;
    for (const SweepRecord& record : result.history)
      if (record.validation_loss < lowest * (1 - 1e-12)) {
        lowest = record.validation_loss;
        sweep = record.sweep + 1;
      }
    EXPECT_NEAR(result.validation_loss, lowest, 1e-12 * lowest) << method.name;
    EXPECT_EQ(result.best_sweep, sweep) << method.name;
    EXPECT_NEAR(mean_squared_error(done.network, held_out), lowest, 1e-12 * lowest) << method.name;
    EXPECT_NEAR(result.value, problem.value_at(done.network), 1e-12) << method.name;
  }
}

TEST(Validation, LooksOnAndChangesNothing) {
  const SmallProblem problem;
  const Dataset held_out = smooth_data(40, 3);
  for (const std::string_view name : {"b2ld", "bling", "adam", "blgn"}) {
    FakeClock plain_clock;
    const TrainingResult plain = trained(problem.start, problem.data, small_scheme(name, 5),
                                         {.objective = problem.objective, .clock = plain_clock.clock()})
                                     .result;
    const TrainingResult watched =
        trained(problem.start, problem.data, small_scheme(name, 5),
                {.objective = problem.objective, .validation = {.data = &held_out, .average = 2}})
            .result;
    ASSERT_EQ(watched.history.size(), plain.history.size()) << name;
    for (std::size_t i = 0; i < plain.history.size(); ++i)
      EXPECT_EQ(watched.history[i].value, plain.history[i].value) << name;
    EXPECT_EQ(watched.work.evaluations, plain.work.evaluations) << name;
    EXPECT_EQ(watched.work.forward, plain.work.forward) << name;
  }
}

TEST(Validation, AFractionIsMeasuredByTheErrorThatIsAskedFor) {
  const SmallProblem problem;
  int asked = 0;
  const auto error = [&asked](const Network&) {
    ++asked;
    return 1.0;
  };
  const TrainingResult result =
      trained(problem.start, problem.data, small_scheme("b2ld", 2),
              {.objective = problem.objective, .validation = {.fraction = 0.25, .error = error}})
          .result;
  EXPECT_GT(asked, 0);
  EXPECT_EQ(result.best_sweep, 0U);
}

TEST(Validation, ThePatienceBeginsAnewOnceTheErrorFellByEnough) {
  const SmallProblem problem;
  const auto sweeps = [&](double least_gain) {
    double found = 1;
    const auto error = [&found](const Network&) { return found *= 0.99; };
    return trained(
               problem.start, problem.data, small_scheme("b2ld", 20),
               {.objective = problem.objective,
                .validation = {.fraction = 0.25, .patience = 3, .least_gain = least_gain, .error = error}})
        .result.sweeps;
  };
  EXPECT_EQ(sweeps(0), 20U);
  EXPECT_EQ(sweeps(0.025), 20U);  // 3 % in three sweeps
  EXPECT_EQ(sweeps(0.035), 3U);
}

// A clock that moves only while the validation rows are looked at cannot be made; one that moves at every reading can:
// the time between the two readings around a validation must be missing in the charged time.
TEST(Validation, ItsTimeIsNotCharged) {
  const SmallProblem problem;
  const Dataset held_out = smooth_data(40, 3);
  FakeClock clock(1);
  const TrainingResult result =
      trained(problem.start, problem.data, small_scheme("b2ld", 6),
              {.objective = problem.objective, .validation = {.data = &held_out}, .clock = clock.clock()})
          .result;
  // Seven validations (the start and six sweeps), each a second between its two readings of the clock.
  const double reported = result.elapsed_seconds - result.seconds;
  FakeClock other(1);
  const TrainingResult plain = trained(problem.start, problem.data, small_scheme("b2ld", 6),
                                       {.objective = problem.objective, .clock = other.clock()})
                                   .result;
  EXPECT_EQ(reported - (plain.elapsed_seconds - plain.seconds), 7);
  FakeClock of_all(1);
  const TrainingResult charged = trained(problem.start, problem.data, small_scheme("b2ld", 6),
                                         {.objective = problem.objective,
                                          .validation = {.data = &held_out},
                                          .clock = of_all.clock(),
                                          .charge_all = true})
                                     .result;
  EXPECT_EQ(reported - (charged.elapsed_seconds - charged.seconds), 7);
}

// The gradient of all rows takes as long as many steps; and what measures the rows itself needs no value either.
TEST(Validation, AfterLongEpochsTheValueAloneIsMeasuredOrNothing) {
  const SmallProblem problem;
  const Dataset data = smooth_data(640, 3);
  const Dataset held_out = smooth_data(40, 3);
  for (const bool long_epochs : {false, true}) {
    Scheme scheme = small_scheme("blgn", 2);
    scheme.batches.grow_after = long_epochs ? 64 : 65536;
    std::vector<bool> asked;
    TrainOptions options{.objective = problem.objective, .validation = {.data = &held_out}};
    options.measure_result = [&](bool in_one_pass) {
      asked.push_back(in_one_pass);
      return asked.size() == 1;
    };
    Trained first = trained(problem.start, data, scheme, options);
    const PackedRows rows(data, serial_engine());
    EXPECT_DOUBLE_EQ(first.result.value, Objective(first.network, rows, problem.objective).value());
    EXPECT_EQ(std::isnan(first.result.gradient_norm), long_epochs);
    const Trained second = trained(problem.start, data, scheme, options);
    EXPECT_TRUE(std::isnan(second.result.value));
    EXPECT_EQ(weights_of(second.network), weights_of(first.network));
    EXPECT_EQ(asked, (std::vector<bool>{long_epochs, long_epochs}));
  }
}

// A batch that would end far beyond the limit is not begun.
TEST(Validation, TheTimeLimitOfLongEpochsLooksAhead) {
  const SmallProblem problem;
  const Dataset data = smooth_data(640, 3);
  const Dataset held_out = smooth_data(40, 3);
  const auto limited_to = [&](double seconds) {
    Scheme scheme = small_scheme("blgn", 2);
    scheme.batches.grow_after = 64;
    scheme.stopping.seconds = seconds;
    std::size_t batch = 0;
    double now = 0;
    scheme.observers.step = [&](const StepRecord& step) {
      now += step.batch != batch ? 10 : 0;  // seconds of a batch
      batch = step.batch;
    };
    return trained(problem.start, data, scheme,
                   {.objective = problem.objective,
                    .validation = {.data = &held_out},
                    .clock = [&] { return now; }})
        .result;
  };
  const TrainingResult result = limited_to(97);
  EXPECT_EQ(result.reason, StopReason::time_limit);
  EXPECT_EQ(result.seconds, 100);
  EXPECT_EQ(limited_to(93).seconds, 90);
  EXPECT_TRUE(std::isnan(result.history.back().value));  // that takes a pass over all rows
  EXPECT_TRUE(std::isfinite(result.history.back().validation_loss));
  EXPECT_TRUE(std::isfinite(result.value));
}

TEST(Validation, EndsARunThatOnlyLearnsNoise) {
  const SmallProblem problem;
  const Dataset data = noise(60, 1);
  const Dataset held_out = noise(40, 2);
  for (const std::string_view name : {"b2ld", "lbfgs", "adam", "blgn"}) {
    Scheme scheme = small_scheme(name, 10000);
    if (name == "adam") scheme.updates.hidden = adam({.rate = 1e-2});
    const TrainingResult result =
        trained(problem.start, data, scheme,
                {.objective = {.l2 = 0}, .validation = {.data = &held_out, .patience = 7}})
            .result;
    EXPECT_EQ(result.reason, StopReason::early_stopping) << name;
    EXPECT_EQ(result.sweeps, result.best_sweep + 7) << name;
  }
}

TEST(Validation, AFractionOfTheRowsIsDrawnByTheSeed) {
  const SmallProblem problem;
  const TrainOptions options{.objective = problem.objective, .seed = 4, .validation = {.fraction = 0.25}};
  const Trained by_fraction = trained(problem.start, problem.data, small_scheme("b2ld", 4), options);
  const HeldOut parts = hold_out(problem.data, 0.25, 4);
  EXPECT_EQ(parts.training.rows, 45U);
  EXPECT_EQ(parts.validation.rows, 15U);
  const Trained by_rows =
      trained(problem.start, parts.training, small_scheme("b2ld", 4),
              {.objective = problem.objective, .seed = 4, .validation = {.data = &parts.validation}});
  EXPECT_EQ(weights_of(by_fraction.network), weights_of(by_rows.network));
  EXPECT_EQ(by_fraction.result.validation_loss, by_rows.result.validation_loss);
  EXPECT_NE(hold_out(problem.data, 0.25, 5).validation.inputs, parts.validation.inputs);
}

TEST(Validation, RowsThatAreHeldOutKeepTheirWeights) {
  Dataset data = smooth_data(20, 3);
  for (std::size_t p = 0; p < data.rows; ++p) data.weights.push_back(data.x(p, 0));
  const HeldOut parts = hold_out(data, 0.25, 4);
  for (const Dataset* part : {&parts.training, &parts.validation}) {
    ASSERT_EQ(part->weights.size(), part->rows);
    for (std::size_t p = 0; p < part->rows; ++p) EXPECT_EQ(part->weights[p], part->x(p, 0));
  }
}

TEST(Validation, RefusesWhatCannotBeUsed) {
  const SmallProblem problem;
  const auto refusal = [&problem](const Validation& validation) {
    Network network(problem.start);
    try {
      train(network, problem.data, small_scheme("b2ld", 1), {.validation = validation});
    } catch (const InvalidOption& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const Dataset held_out = smooth_data(10, 3);
  const Dataset other = smooth_data(10, 4);
  Dataset broken = held_out;
  broken.targets[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal({.fraction = 1}).find("validation.fraction"), std::string::npos);
  EXPECT_NE(refusal({.fraction = -0.1}).find("validation.fraction"), std::string::npos);
  EXPECT_NE(refusal({.data = &held_out, .fraction = 0.1}).find("not both"), std::string::npos);
  EXPECT_NE(refusal({.patience = 3}).find("validation.patience"), std::string::npos);
  EXPECT_NE(refusal({.data = &other}).find("4 inputs"), std::string::npos);
  EXPECT_NE(refusal({.data = &broken}).find("row 4"), std::string::npos);
}

// --- Averages

// Computed here from the weights after every minibatch.
TEST(Validation, TheMeanOfTheWeightsIsTakenWhereItIsBetter) {
  const SmallProblem problem;
  const Dataset held_out = smooth_data(40, 3);
  constexpr double window = 2;
  std::size_t taken = 0;
  for (const double rate : {0.01, 0.03, 0.1, 0.3, 1.0}) {
    Scheme scheme = small_scheme("adam", 20);
    scheme.updates.hidden = adam({.rate = rate});
    Network network(problem.start);
    Network average(problem.start);
    std::ranges::fill(average.weights(), 0.0);
    double total = 0;
    double best = mean_squared_error(problem.start, held_out);
    std::vector<double> best_weights = weights_of(problem.start);
    bool mean_was_best = false;
    const auto offer = [&](const Network& candidate, bool is_mean) {
      if (const double error = mean_squared_error(candidate, held_out); error < best) {
        best = error;
        best_weights = weights_of(candidate);
        mean_was_best = is_mean;
      }
    };
    scheme.observers.step = [&](const StepRecord&) {  // one for each minibatch
      const double share = 1 / (window * 4);          // 60 rows in batches of 16
      total = (1 - share) * total + share;
      for (std::size_t i = 0; i < network.size(); ++i)
        average.weights()[i] += share / total * (network.weights()[i] - average.weights()[i]);
    };
    scheme.observers.sweep = [&](const SweepRecord&) {
      offer(network, false);
      offer(average, true);
    };
    const TrainingResult result =
        train(network, problem.data, scheme,
              {.objective = problem.objective, .validation = {.data = &held_out, .average = window}});
    taken += mean_was_best ? 1 : 0;
    EXPECT_NEAR(result.validation_loss, best, 1e-9) << rate;
    const std::vector<double> found = weights_of(network);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], best_weights[i], 1e-9) << rate;
  }
  EXPECT_GT(taken, 0U);
}

TEST(Validation, ARunWithAveragesContinuesToTheSameBits) {
  const SmallProblem problem;
  const Dataset held_out = smooth_data(40, 3);
  Scheme scheme = small_scheme("adam", 9);
  scheme.updates.hidden = adam({.rate = 0.3});
  TrainOptions options{.objective = problem.objective, .validation = {.data = &held_out, .average = 2}};
  const Trained whole = trained(problem.start, problem.data, scheme, options);
  State saved;
  options.checkpoints.save = [&](const State& state) { saved = state; };
  std::size_t steps = 0;
  scheme.stopping.interrupt = [&] { return ++steps > 14; };
  EXPECT_EQ(trained(problem.start, problem.data, scheme, options).result.reason, StopReason::user_request);
  scheme.stopping.interrupt = {};
  options.checkpoints.resume = &saved;
  const Trained rest = trained(problem.start, problem.data, scheme, options);
  EXPECT_EQ(weights_of(rest.network), weights_of(whole.network));
  EXPECT_EQ(rest.result.validation_loss, whole.result.validation_loss);
  TrainOptions other = options;
  other.validation.average = 3;
  EXPECT_THROW(trained(problem.start, problem.data, scheme, other), InvalidOption);
}

// --- Other errors, and looks inside a sweep

TEST(Validation, AnotherErrorThanTheLossDecides) {
  const SmallProblem problem;
  const Dataset held_out = smooth_data(40, 3);
  std::vector<double> errors;
  const auto distance_from_three = [&](const Network& network) {  // the start is 0
    errors.push_back(std::abs(static_cast<double>(errors.size()) - 3));
    return errors.back() + 0 * network.weights()[0];
  };
  const TrainingResult result = trained(problem.start, problem.data, small_scheme("adam", 6),
                                        {.objective = problem.objective,
                                         .validation = {.data = &held_out, .error = distance_from_three}})
                                    .result;
  EXPECT_EQ(errors.size(), 7U);
  EXPECT_EQ(result.best_sweep, 3U);
  EXPECT_EQ(result.validation_loss, result.history[2].validation_loss);
}

TEST(Validation, LooksSeveralTimesInALongSweepAndStopsThere) {
  const SmallProblem problem;
  const Dataset data = smooth_data(640, 3);
  const Dataset held_out = smooth_data(40, 3);
  Scheme scheme = small_scheme("ig", 50);
  scheme.batches.size = 2;  // 320 of them: three looks in a sweep
  std::size_t looks = 0;
  std::size_t batches = 0;
  scheme.observers.step = [&](const StepRecord&) { ++batches; };
  TrainOptions options{.objective = problem.objective,
                       .validation = {.data = &held_out, .patience = 4, .error = [&](const Network&) {
                                        return ++looks == 2 ? 1.0 : 2.0;
                                      }}};
  State saved;
  options.checkpoints.save = [&](const State& state) { saved = state; };
  const Trained done = trained(problem.start, data, scheme, options);
  EXPECT_EQ(done.result.reason, StopReason::early_stopping);
  EXPECT_EQ(batches, 520U);  // best after 100, and four looks later
  EXPECT_EQ(done.result.sweeps, 2U);
  // The state is one that has ended.
  options.checkpoints.resume = &saved;
  batches = 0;
  const Trained again = trained(problem.start, data, scheme, options);
  EXPECT_EQ(batches, 0U);
  EXPECT_EQ(weights_of(again.network), weights_of(done.network));
}

}  // namespace
}  // namespace strata
