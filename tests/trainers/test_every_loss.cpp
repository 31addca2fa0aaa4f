// Every method trains every loss: f falls, records can be replayed, bits do not depend on threads, processes or
// interruptions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <optional>

#include "strata/core/errors.h"
#include "strata/data/shared_rows.h"
#include "strata/parallel/thread_communicator.h"
#include "strata/trainers/presets.h"
#include "support/losses.h"
#include "support/replay.h"
#include "support/short_tests.h"
#include "support/training.h"

namespace strata {
namespace {

using testing::HasSubstr;
using testing_support::data_for;
using testing_support::loss_cases;
using testing_support::LossCase;
using testing_support::network_for;
using testing_support::short_tests;
using testing_support::Trained;
using testing_support::trained;
using testing_support::weights_of;

struct MethodAndLoss {
  std::string method;
  LossCase loss;
};
void PrintTo(const MethodAndLoss& c, std::ostream* out) { *out << c.method << " " << c.loss.name; }

// All pairs; under the sanitizers, where all would take minutes, a third of them, with every method and every loss.
std::vector<MethodAndLoss> cases_of(const std::vector<std::string>& names) {
  const std::vector<LossCase> losses = loss_cases();
  const std::size_t step = short_tests() ? 3 : 1;
  std::vector<MethodAndLoss> cases;
  for (std::size_t m = 0; m < names.size(); ++m)
    for (std::size_t l = m % step; l < losses.size(); l += step) cases.push_back({names[m], losses[l]});
  return cases;
}

std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.emplace_back(method.name);
  return names;
}

// The end of a run of blgn: not a method by itself.
constexpr std::string_view all_layers_by_lbfgs = "all-layers-by-lbfgs";

Scheme scheme_of(std::string_view method) {
  if (method != all_layers_by_lbfgs) return preset(method, 3);
  Scheme scheme = blgn();
  scheme.batches = whole_data();
  scheme.selection = whole_network();
  scheme.updates.hidden = gauss_newton({.joint_lbfgs = 4, .joint_pairs = 6});
  scheme.reporting.steps = true;
  return scheme;
}

// Each number of processes and of threads once; scripts/soak asks for all pairs, which takes minutes.
std::vector<std::pair<std::size_t, std::size_t>> processes_and_threads() {
  if (short_tests()) return {{2, 3}};
  if (std::getenv("STRATA_SOAK") == nullptr) return {{1, 3}, {2, 8}, {3, 1}, {4, 2}};
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const std::size_t processes : {1, 2, 3, 4})
    for (const std::size_t threads : {1, 2, 3, 8}) pairs.emplace_back(processes, threads);
  return pairs;
}

std::string name_of(const testing::TestParamInfo<MethodAndLoss>& instance) {
  std::string name = instance.param.method + "_" + instance.param.loss.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class EveryMethodAndLoss : public testing::TestWithParam<MethodAndLoss> {
 protected:
  std::unique_ptr<const Loss> loss_ = GetParam().loss.make();
  Network start_ = network_for(GetParam().loss, {5, 4});

  [[nodiscard]] static Scheme scheme(std::size_t batch, std::size_t sweeps) {
    Scheme scheme = scheme_of(GetParam().method);
    if (scheme.batches.size > 0) scheme.batches.size = batch;
    scheme.step_size.first =
        std::min(scheme.step_size.first, 0.1);  // the paper's 0.5 is for the squared loss
    scheme.stopping = {.max_sweeps = sweeps};
    return scheme;
  }
  [[nodiscard]] TrainOptions options() const {
    return {.objective = {.l2 = 1e-3, .loss = loss_.get()}, .seed = 3};
  }
  [[nodiscard]] double value_at(const Network& network, const Dataset& data) const {
    Network copy(network);
    const PackedRows rows(data);
    return Objective(copy, rows, options().objective).value();
  }
};

TEST_P(EveryMethodAndLoss, LowersTheObjective) {
  Dataset data = data_for(GetParam().loss, 150);
  data.weights = testing_support::random_weights(150);
  const double before = value_at(start_, data);
  const Trained run = trained(start_, data, scheme(32, 6), options());
  EXPECT_LT(run.result.value, before - 1e-3 * std::abs(before));
  EXPECT_NEAR(run.result.value, value_at(run.network, data), 1e-12 * (1 + before));
}

TEST_P(EveryMethodAndLoss, LowersTheObjectiveInSinglePrecision) {
  const Dataset data = data_for(GetParam().loss, 150);
  const double before = value_at(start_, data);
  Scheme single = scheme(32, 6);
  single.batches.precision = single.batches.all_rows = Precision::float32;
  const Trained run = trained(start_, data, single, options());
  EXPECT_LT(run.result.value, before - 1e-3 * std::abs(before));
  EXPECT_NEAR(run.result.value, value_at(run.network, data), 1e-5 * (1 + before));
}

TEST_P(EveryMethodAndLoss, HasTheSameBitsForThreadsAndProcesses) {
  Dataset data = data_for(GetParam().loss, 1100);  // nine panels: enough to be shared
  data.weights = testing_support::random_weights(1100);
  const Scheme short_run = scheme(1050, 2);
  const Trained alone = trained(start_, data, short_run, options());
  std::mutex mutex;
  for (const auto& [count, threads] : processes_and_threads())
    run_as_processes(count, [&, threads = threads](Communicator& processes) {
      TrainOptions mine = options();
      Engine engine({.threads = threads, .processes = &processes});
      mine.engine = &engine;
      const Trained together = trained(start_, share_rows(data, processes), short_run, mine);
      const std::scoped_lock lock(mutex);
      EXPECT_EQ(weights_of(together.network), weights_of(alone.network))
          << processes.size() << " processes, " << threads << " threads";
      EXPECT_EQ(together.result.value, alone.result.value);
    });
}

TEST_P(EveryMethodAndLoss, ResumesToTheBit) {
  const Dataset data = data_for(GetParam().loss, 150);
  const Scheme whole = scheme(32, 4);
  const Trained expected = trained(start_, data, whole, options());
  for (const int limit : {1, 4, 9}) {
    Scheme cut = whole;
    int asked = 0;
    cut.stopping.interrupt = [&] { return ++asked > limit; };
    std::optional<State> saved;
    TrainOptions saving = options();
    saving.checkpoints.save = [&](const State& state) { saved = state; };
    trained(start_, data, cut, saving);
    if (!saved) continue;  // the run was over
    TrainOptions resuming = options();
    resuming.checkpoints.resume = &*saved;
    const Network other = network_for(GetParam().loss, {5, 4}, {}, 77);
    const Trained resumed = trained(other, data, whole, resuming);
    EXPECT_EQ(weights_of(resumed.network), weights_of(expected.network)) << limit;
  }
}

INSTANTIATE_TEST_SUITE_P(Train, EveryMethodAndLoss, testing::ValuesIn(cases_of(all_methods())), name_of);
INSTANTIATE_TEST_SUITE_P(EndOfARun, EveryMethodAndLoss,
                         testing::ValuesIn(cases_of({std::string(all_layers_by_lbfgs)})), name_of);

// Conditions (1) and (2) are those of methods on all rows.
class EveryMethodOnAllRows : public EveryMethodAndLoss {};

TEST_P(EveryMethodOnAllRows, ReplayConfirmsEveryLineUnderTheConditions) {
  Scheme recorded = scheme(0, 6);
  const Dataset data = data_for(GetParam().loss, 60);
  Network network(start_);
  StepRecorder recorder(network);
  recorder.attach(recorded);
  train(network, data, recorded, options());
  EXPECT_GE(recorder.steps().size(), 1U);
  EXPECT_EQ(find_disagreement(start_, data, options().objective,
                              std::get<ArmijoAcceptance>(recorded.acceptance), recorder.steps())
                .value_or("no disagreement"),
            "no disagreement");
}

INSTANTIATE_TEST_SUITE_P(Train, EveryMethodOnAllRows,
                         testing::ValuesIn(cases_of({"b2ld", "bld", "neuron-wise", "elm",
                                                     std::string(all_layers_by_lbfgs)})),
                         name_of);

// --- The output layer of any loss is solved to its minimum

class OutputLayer : public testing::TestWithParam<LossCase> {};

TEST_P(OutputLayer, OfElmEndsWithAGradientOfZero) {
  const auto loss = GetParam().make();
  const Dataset data = data_for(GetParam(), 300);
  Network network = network_for(GetParam(), {6});
  const ObjectiveOptions objective{.l2 = 1e-3, .loss = loss.get()};
  Network start(network);
  const TrainingResult result = train(network, data, preset("elm", 2), {.objective = objective});
  const PackedRows rows(data);
  const auto gradient_at = [&](Network& at) {
    Objective f(at, rows, objective);
    Vector gradient(at.size({1, 1}));
    f.open({1, 1}).value_and_gradient(std::as_const(at).weights({1, 1}), gradient);
    return norm(gradient);
  };
  EXPECT_LT(gradient_at(network), 3e-5 * gradient_at(start));
  EXPECT_THAT(std::string(result.steps.front().message),
              GetParam().loss == "squared" ? HasSubstr("Cholesky") : HasSubstr("damped Newton"));
}

INSTANTIATE_TEST_SUITE_P(Train, OutputLayer, testing::ValuesIn(loss_cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Losses, ResumingWithAnotherOneIsRefusedByName) {
  const auto squared = make_loss("squared");
  const auto huber = make_loss("huber", {.delta = 0.5});
  const auto other = make_loss("huber", {.delta = 0.75});
  const Dataset data = testing_support::smooth_data(60, 3);
  const Network start = testing_support::random_network({.inputs = 3, .hidden = {4}});
  Scheme scheme = b2ld();
  scheme.stopping = {.max_sweeps = 2};
  State saved;
  TrainOptions saving{.objective = {.loss = huber.get()}};
  saving.checkpoints.save = [&](const State& state) { saved = state; };
  trained(start, data, scheme, saving);
  for (const Loss* wrong : {squared.get(), other.get()}) {
    TrainOptions resuming{.objective = {.loss = wrong}};
    resuming.checkpoints.resume = &saved;
    try {
      trained(start, data, scheme, resuming);
      FAIL() << "not refused";
    } catch (const InvalidOption& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("option 'loss' = '" + wrong->text() + "'"));
      EXPECT_THAT(refused.what(), HasSubstr("huber(delta=0.5)"));
    }
  }
}

TEST(Losses, TargetsOfAnotherKindAreRefusedBeforeTrainingAndForValidationToo) {
  const auto loss = make_loss("poisson");
  Dataset data = testing_support::smooth_data(20, 3);
  for (double& y : data.targets) y = std::abs(y);
  Dataset wrong = data;
  wrong.targets[6] = -2;
  const Network start = testing_support::random_network({.inputs = 3, .hidden = {4}});
  Scheme scheme = b2ld();
  scheme.stopping = {.max_sweeps = 1};
  const auto refusal = [&](const Dataset& rows, const Dataset& validation) -> std::string {
    try {
      trained(start, rows, scheme, {.objective = {.loss = loss.get()}, .validation = {.data = &validation}});
    } catch (const InvalidOption& refused) {
      return refused.what();
    }
    return "not refused";
  };
  EXPECT_EQ(refusal(data, data), "not refused");
  EXPECT_THAT(refusal(wrong, data), HasSubstr("row 7"));
  EXPECT_THAT(refusal(data, wrong), HasSubstr("row 7"));
}

}  // namespace
}  // namespace strata
