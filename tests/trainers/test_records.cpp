#include "strata/trainers/records.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "strata/trainers/presets.h"
#include "support/training.h"

namespace strata {
namespace {

using Json = nlohmann::json;
using testing_support::SmallProblem;
using testing_support::trained;

TEST(Records, AStepIsOneLineOfJsonWithAllItsFields) {
  const SmallProblem problem;
  Scheme scheme = b2ld();
  scheme.stopping = {.max_sweeps = 2};
  const TrainingResult result =
      trained(problem.start, problem.data, scheme, {.objective = problem.objective}).result;
  ASSERT_EQ(result.steps.size(), 6U);
  for (const StepRecord& step : result.steps) {
    const std::string line = to_json(step);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Json json = Json::parse(line);
    EXPECT_EQ(json.at("sweep"), step.sweep);
    EXPECT_EQ(json.at("batch"), 0);
    EXPECT_EQ(json.at("first_layer"), step.block.first);
    EXPECT_EQ(json.at("last_layer"), step.block.last);
    EXPECT_EQ(json.at("before").get<double>(), step.before);  // every bit survives
    EXPECT_EQ(json.at("after").get<double>(), step.after);
    EXPECT_EQ(json.at("gradient_norm").get<double>(), step.gradient_norm);
    EXPECT_EQ(json.at("step_length").get<double>(), step.step_length);
    EXPECT_EQ(json.at("trial").get<double>(), step.trial);
    EXPECT_EQ(json.at("trial_length").get<double>(), step.trial_length);
    EXPECT_EQ(json.at("armijo").get<double>(), step.armijo);
    EXPECT_EQ(json.at("margin_armijo").get<double>(), step.margin_armijo);
    EXPECT_EQ(json.at("margin_forcing").get<double>(), step.margin_forcing);
    EXPECT_TRUE(json.at("step_size").is_null());
    EXPECT_EQ(json.at("fallback"), step.fallback);
    EXPECT_EQ(json.at("skipped"), step.skipped);
    EXPECT_EQ(json.at("refused"), step.refused);
    EXPECT_EQ(json.at("reason"), to_string(step.reason));
    EXPECT_EQ(json.at("message"), step.message);
    EXPECT_EQ(json.at("iterations"), step.iterations);
    EXPECT_EQ(json.at("work").at("forward"), step.work.forward);
    EXPECT_EQ(json.at("work").at("backward"), step.work.backward);
    EXPECT_EQ(json.at("work").at("weight_gradient"), step.work.weight_gradient);
    EXPECT_EQ(json.at("work").at("evaluations"), step.work.evaluations);
    EXPECT_EQ(json.at("seconds").get<double>(), step.seconds);
    EXPECT_FALSE(step.message.empty());
  }
}

TEST(Records, AStepOfNeuronsSaysWhichAndOneOfLayersDoesNot) {
  StepRecord step;
  step.block = {1, 1, 4, 2};
  const Json part = Json::parse(to_json(step));
  EXPECT_EQ(part.at("first_layer"), 1);
  EXPECT_EQ(part.at("last_layer"), 1);
  EXPECT_EQ(part.at("first_neuron"), 4);
  EXPECT_EQ(part.at("neurons"), 2);
  step.block = {0, 1};
  EXPECT_FALSE(Json::parse(to_json(step)).contains("neurons"));
}

TEST(Records, TheWorkOfTheStepsIsTheWorkOfTheRun) {
  const SmallProblem problem;
  for (const std::string_view name : {"b2ld", "bld", "neuron-wise", "bling"}) {
    Scheme scheme = preset(name, 3);
    if (scheme.batches.size > 0) scheme.batches.size = 8;
    scheme.stopping = {.max_sweeps = 3};
    scheme.reporting.steps = true;
    const TrainingResult result =
        trained(problem.start, problem.data, scheme, {.objective = problem.objective}).result;
    Work sum;
    for (const StepRecord& step : result.steps) sum += step.work;
    EXPECT_EQ(sum, result.work) << name;
    EXPECT_EQ(result.history.back().work, result.work) << name;
  }
}

TEST(Records, ASweepIsOneLineOfJsonWhereWhatWasNotMeasuredIsNull) {
  SweepRecord sweep;
  sweep.sweep = 4;
  sweep.value = 0.1;
  sweep.batch_size = 32;
  sweep.refused = 2;
  sweep.work.forward = 7;
  sweep.seconds = 1.5;
  sweep.elapsed_seconds = 2.5;
  const std::string line = to_json(sweep);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Json json = Json::parse(line);
  EXPECT_EQ(json.at("sweep"), 4);
  EXPECT_EQ(json.at("value"), 0.1);
  EXPECT_EQ(json.at("batch_size"), 32);
  EXPECT_EQ(json.at("refused"), 2);
  EXPECT_EQ(json.at("work").at("forward"), 7);
  EXPECT_EQ(json.at("seconds"), 1.5);
  EXPECT_EQ(json.at("elapsed_seconds"), 2.5);
  for (const char* field : {"mean_loss", "gradient_norm", "step_size"})
    EXPECT_TRUE(json.at(field).is_null()) << field;
}

TEST(Records, NumbersThatAreNotFiniteAreNull) {
  StepRecord step;
  step.before = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(Json::parse(to_json(step)).at("before").is_null());
}

TEST(Records, TheBriefSaysReasonSweepsValueAndTime) {
  TrainingResult result;
  result.reason = StopReason::gradient_tolerance;
  result.sweeps = 41;
  result.value = 3.1e-3;
  result.seconds = 2.4;
  EXPECT_EQ(result.brief(), "gradient_tolerance after 41 sweeps, f = 3.100e-03, 2.40 s");
}

TEST(Records, ObserversSeeWhatTheResultKeeps) {
  const SmallProblem problem;
  Scheme scheme = bld();
  scheme.stopping = {.max_sweeps = 3};
  std::vector<std::string> steps, sweeps;
  scheme.observers = {.step = [&](const StepRecord& r) { steps.push_back(to_json(r)); },
                      .sweep = [&](const SweepRecord& r) { sweeps.push_back(to_json(r)); }};
  const TrainingResult result = trained(problem.start, problem.data, scheme, {}).result;
  ASSERT_EQ(steps.size(), result.steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i], to_json(result.steps[i]));
  ASSERT_EQ(sweeps.size(), result.history.size());
  for (std::size_t i = 0; i < sweeps.size(); ++i) EXPECT_EQ(sweeps[i], to_json(result.history[i]));
}

}  // namespace
}  // namespace strata
