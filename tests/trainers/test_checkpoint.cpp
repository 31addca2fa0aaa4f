#include "strata/trainers/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <map>
#include <optional>

#include "strata/core/errors.h"
#include "strata/core/state_file.h"
#include "strata/trainers/presets.h"
#include "support/training.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::FakeClock;
using testing_support::random_network;
using testing_support::smooth_data;
using testing_support::Trained;
using testing_support::trained;
using testing_support::weights_of;

constexpr std::size_t network_layers = 3;

Scheme small(std::string_view name) {
  Scheme scheme = preset(name, network_layers);
  if (scheme.batches.size > 0) scheme.batches.size = 32;
  scheme.stopping.max_sweeps = 6;
  return scheme;
}

// Every method, and schemes for what no method uses.
std::map<std::string, Scheme> schemes() {
  std::map<std::string, Scheme> all;
  for (const MethodInfo& method : methods()) {
    std::string name(method.name);
    std::replace(name.begin(), name.end(), '-', '_');
    all[name] = small(method.name);
  }
  all["growing"] = small("blgn");  // 20, 40, 80, 150: all rows
  all["growing"].batches.size = 20;
  all["growing"].batches.grow_below = 0.9;
  all["growing_inside_epochs"] = small("blgn");  // 1, 2, 4
  all["growing_inside_epochs"].batches.size = 1;
  all["growing_inside_epochs"].batches.grow_after = 16;
  all["growing_inside_epochs"].batches.grow_below = 0.9;
  all["ends_with_all_layers"] = small("blgn");  // 75, 150: all rows
  all["ends_with_all_layers"].batches.size = 75;
  all["ends_with_all_layers"].batches.grow_below = 1;
  all["ends_with_all_layers"].selection = blocks_then_all({.rows_per_weight = 1});
  all["ends_with_all_layers"].updates.hidden = gauss_newton({.joint_lbfgs = 4, .joint_pairs = 6});
  all["looks_ahead"] = small("blgn");  // half of the batches are undone
  all["looks_ahead"].batches.size = 20;
  all["looks_ahead"].look_ahead.most_increase = 1e-4;
  all["reports_now_and_then"] = small("bling");
  all["reports_now_and_then"].reporting.every_sweeps = 4;
  all["one_layer_per_batch"] = small("bling");
  all["one_layer_per_batch"].selection = one_layer_per_batch(LayerOrder::random);
  all["largest_gradient"] = small("bld");
  all["largest_gradient"].selection = largest_gradient();
  all["random_layers"] = small("b2ld");
  all["random_layers"].selection = random_sweep();
  all["lbfgs_on_minibatches"] = small("bling");
  all["lbfgs_on_minibatches"].updates.hidden = lbfgs({.solver = {.max_iterations = 4, .keep_history = true}});
  all["steps_that_are_cut"] = small("bling");
  all["steps_that_are_cut"].updates.hidden = gradient_step({.normalise = false});
  all["steps_that_are_cut"].step_size = {.rule = StepSize::Rule::harmonic, .first = 1e120};
  all["cut_steps_on_all_rows"] = small("ig");
  all["cut_steps_on_all_rows"].batches.size = 0;
  all["cut_steps_on_all_rows"].updates.hidden = gradient_step({.normalise = false});
  all["cut_steps_on_all_rows"].step_size.first = 1e120;
  all["cut_steps_on_all_rows"].step_size.rule = StepSize::Rule::constant;
  all["layers_are_skipped"] = b2ld();
  all["layers_are_skipped"].tolerance = {.first = 3e-2, .factor = 0.9};
  all["layers_are_skipped"].stopping = {
      .gradient_norm = 0.04, .gradient_every_sweep = false, .max_sweeps = 60};
  all["small_decreases"] = small("bld");
  all["small_decreases"].selection = largest_gradient();
  all["small_decreases"].stopping = {.relative_decrease = 5e-3, .max_sweeps = 60};
  all["other_output_updates"] = small("bld");
  all["other_output_updates"].updates = {.hidden = armijo_gradient_steps(), .output = conjugate_gradient()};
  return all;
}

// What another process would read.
State through_bytes(const State& state) {
  TensorFile file;
  put_state(file, "run", state);
  return get_state(parse_tensor_file(tensor_file_bytes(file), "checkpoint"), "run");
}

struct Problem {
  Dataset data = smooth_data(150, 3);
  Network start = random_network({.inputs = 3, .hidden = {5, 4}}, 2, 1.0);
  TrainOptions options = {.objective = {.l2 = 1e-4}, .seed = 3};

  [[nodiscard]] Trained run(const Scheme& scheme) const { return trained(start, data, scheme, options); }
  Trained run(const Scheme& scheme, const Checkpoints& checkpoints) const {
    TrainOptions with = options;
    with.checkpoints = checkpoints;
    return trained(start, data, scheme, with);
  }
  // A network that was never trained and has other weights: everything must come from the state.
  [[nodiscard]] Trained resume(const Scheme& scheme, const State& state, std::size_t threads = 1) const {
    const State read = through_bytes(state);
    TrainOptions with = options;
    Engine engine({.threads = threads});
    with.engine = &engine;
    with.checkpoints.resume = &read;
    return trained(random_network(start.architecture(), 77, 0.3), data, scheme, with);
  }
};

// The lines of a result without the times, which no two runs share.
template <class Record>
std::vector<std::string> lines(std::vector<Record> records) {
  std::vector<std::string> text;
  for (Record& record : records) {
    record.seconds = 0;
    if constexpr (requires { record.elapsed_seconds; }) record.elapsed_seconds = 0;
    text.push_back(to_json(record));
  }
  return text;
}

void expect_same(const Trained& a, const Trained& b) {
  EXPECT_EQ(weights_of(a.network), weights_of(b.network));
  EXPECT_EQ(a.result.value, b.result.value);
  const auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };
  EXPECT_EQ(bits(a.result.gradient_norm), bits(b.result.gradient_norm));  // which may not be measured
  EXPECT_EQ(a.result.reason, b.result.reason);
  EXPECT_EQ(a.result.sweeps, b.result.sweeps);
  EXPECT_EQ(a.result.refused, b.result.refused);
  EXPECT_EQ(a.result.updates_per_layer, b.result.updates_per_layer);
  EXPECT_EQ(a.result.work, b.result.work);
  EXPECT_EQ(lines(a.result.history), lines(b.result.history));
  EXPECT_EQ(lines(a.result.steps), lines(b.result.steps));
}

// Counts how often a run asks whether to stop, and says yes at the given question.
struct Interrupter {
  std::size_t yes_at = 0;
  std::size_t asked = 0;
  bool operator()() { return ++asked == yes_at; }
};

Scheme interrupted_by(Scheme scheme, Interrupter& interrupter) {
  scheme.stopping.interrupt = [&interrupter] { return interrupter(); };
  return scheme;
}

class CheckpointsOf : public testing::TestWithParam<std::string> {
 protected:
  Problem problem;
  Scheme scheme = schemes().at(GetParam());
  State last;
  Checkpoints keep_last = {.save = [this](const State& state) { last = state; }};
};

TEST_P(CheckpointsOf, AnInterruptedRunContinuesToTheSameBits) {
  Interrupter never;
  const Trained expected = problem.run(interrupted_by(scheme, never));
  ASSERT_GT(never.asked, 5U);
  const std::size_t stride = std::max<std::size_t>(1, never.asked / 15);
  for (std::size_t at = 1; at <= never.asked; at += stride) {
    SCOPED_TRACE("interrupted at question " + std::to_string(at) + " of " + std::to_string(never.asked));
    Interrupter interrupter{.yes_at = at};
    const Trained part = problem.run(interrupted_by(scheme, interrupter), keep_last);
    ASSERT_EQ(part.result.reason, StopReason::user_request);
    expect_same(problem.resume(scheme, last, 1 + at % 2), expected);
    if (HasFailure()) return;
  }
}

TEST_P(CheckpointsOf, ARunInterruptedAgainAndAgainContinuesToTheSameBits) {
  const Trained expected = problem.run(scheme);
  Interrupter first{.yes_at = 3};
  problem.run(interrupted_by(scheme, first), keep_last);
  for (int process = 0; process < 1000; ++process) {
    Interrupter interrupter{.yes_at = 40};  // long enough for any visit to be done
    const Scheme again = interrupted_by(scheme, interrupter);
    const State from = last;
    Checkpoints checkpoints = keep_last;
    checkpoints.resume = &from;
    const Trained next = problem.run(again, checkpoints);
    if (next.result.reason == StopReason::user_request) continue;
    return expect_same(next, expected);
  }
  FAIL() << "the run makes no progress";
}

TEST_P(CheckpointsOf, ALimitOnSweepsCanBeRaised) {
  const Trained expected = problem.run(scheme);
  Scheme shorter = scheme;
  for (const std::size_t sweeps : {1, 2, 5}) {
    SCOPED_TRACE(sweeps);
    shorter.stopping.max_sweeps = sweeps;
    problem.run(shorter, keep_last);
    expect_same(problem.resume(scheme, last), expected);
  }
}

TEST_P(CheckpointsOf, ARunThatIsDoneEndsAgainAtOnce) {
  const Trained expected = problem.run(scheme, keep_last);
  Interrupter counter;
  expect_same(problem.resume(interrupted_by(scheme, counter), last), expected);
  EXPECT_LE(counter.asked, 1U);  // and visited nothing
}

TEST_P(CheckpointsOf, SavingBeforeEveryVisitChangesNothing) {
  std::vector<State> states;
  const Trained expected = problem.run(scheme);
  const Trained saved = problem.run(
      scheme, {.save = [&](const State& state) { states.push_back(state); }, .every_seconds = 1e-12});
  expect_same(saved, expected);
  ASSERT_GE(states.size(), 5U);
  const std::size_t stride = std::max<std::size_t>(1, states.size() / 15);
  for (std::size_t i = 0; i < states.size() && !HasFailure(); i += stride) {
    SCOPED_TRACE("state " + std::to_string(i) + " of " + std::to_string(states.size()));
    expect_same(problem.resume(scheme, states[i]), expected);
  }
}

TEST_P(CheckpointsOf, ARunEndedByTheCallerAfterASweepContinuesToTheSameBits) {
  const Trained expected = problem.run(scheme);
  Scheme shorter = scheme;
  shorter.stopping.callback = [](const SweepRecord& record) { return record.sweep == 1; };
  problem.run(shorter, keep_last);
  expect_same(problem.resume(scheme, last), expected);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : schemes()) all.push_back(entry.first);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Train, CheckpointsOf, testing::ValuesIn(names()),
                         [](const auto& instance) { return instance.param; });

TEST(Checkpoints, BatchesThatGrowBecomeAllRowsInTheTest) {  // otherwise "growing" would not test the change
  const Trained run = Problem().run(schemes().at("growing"));
  EXPECT_EQ(run.result.history.front().batch_size, 20U);
  EXPECT_EQ(run.result.history.back().batch_size, 150U);
  EXPECT_LT(run.result.history[3].batch_size, 150U);
}

TEST(Checkpoints, RunsEndWithAllLayersInTheTest) {
  Scheme scheme = schemes().at("ends_with_all_layers");
  std::size_t together = 0;
  scheme.observers.step = [&](const StepRecord& step) {
    together += step.block == Block{0, 2} && step.iterations == 4;
  };
  EXPECT_EQ(Problem().run(scheme).result.history.back().batch_size, 150U);
  EXPECT_GE(together, 2U);
}

TEST(Checkpoints, BatchesGrowInsideAnEpochInTheTest) {
  EXPECT_EQ(Problem().run(schemes().at("growing_inside_epochs")).result.history.front().batch_size, 8U);
}

TEST(Checkpoints, SchemesEndAsTheTestsNeedThem) {
  EXPECT_EQ(Problem().run(schemes().at("layers_are_skipped")).result.reason, StopReason::gradient_tolerance);
  EXPECT_EQ(Problem().run(schemes().at("small_decreases")).result.reason, StopReason::relative_decrease);
  EXPECT_GT(Problem().run(schemes().at("cut_steps_on_all_rows")).result.refused, 0U);
  EXPECT_GT(Problem().run(schemes().at("steps_that_are_cut")).result.refused, 0U);
}

TEST(Checkpoints, MinibatchesAreUndoneInTheTest) {
  std::size_t undone = 0;
  for (const SweepRecord& record : Problem().run(schemes().at("looks_ahead")).result.history)
    undone += record.undone;
  EXPECT_GT(undone, 3U);
}

// The lowest error on the validation rows, the weights that had it and the patience left are part of the state.
TEST(Checkpoints, ARunWithValidationRowsContinuesToTheSameBits) {
  Problem problem;
  problem.options.validation = {.fraction = 0.3, .patience = 2};
  for (const char* name : {"adam", "bling", "bld", "blgn"}) {
    SCOPED_TRACE(name);
    Scheme scheme = small(name);
    scheme.stopping = {.max_sweeps = 40};
    std::vector<State> states;
    const Trained expected = problem.run(
        scheme, {.save = [&](const State& state) { states.push_back(state); }, .every_seconds = 1e-12});
    const std::size_t stride = std::max<std::size_t>(1, states.size() / 15);
    for (std::size_t i = 0; i < states.size(); i += stride) {
      const Trained resumed = problem.resume(scheme, states[i]);
      expect_same(resumed, expected);
      EXPECT_EQ(resumed.result.best_sweep, expected.result.best_sweep);
      EXPECT_EQ(resumed.result.validation_loss, expected.result.validation_loss);
    }
    expect_same(problem.resume(scheme, states.back()), expected);
  }
}

TEST(Checkpoints, ARunOnWeightedRowsContinuesToTheSameBits) {
  Problem problem;
  for (std::size_t row = 0; row < problem.data.rows; ++row)
    problem.data.weights.push_back(static_cast<double>(row % 4));
  for (const char* name : {"adam", "b2ld", "blgn"}) {
    SCOPED_TRACE(name);
    const Scheme scheme = small(name);
    Interrupter interrupter{.yes_at = 11};
    State last;
    problem.run(interrupted_by(scheme, interrupter), {.save = [&last](const State& state) { last = state; }});
    expect_same(problem.resume(scheme, last), problem.run(scheme));
  }
}

TEST(Checkpoints, ARunThatIsNeverFiniteGivesUpAtTheSameStep) {
  Problem problem;
  for (double& target : problem.data.targets) target *= 1e200;
  Scheme scheme = small("ig");
  scheme.stopping.max_sweeps = 4;
  State last;
  problem.run(scheme, {.save = [&last](const State& state) { last = state; }});
  scheme.stopping.max_sweeps = 30;
  const Trained expected = problem.run(scheme);
  ASSERT_EQ(expected.result.reason, StopReason::non_finite);
  const Trained resumed = problem.resume(scheme, last);
  EXPECT_EQ(resumed.result.reason, StopReason::non_finite);
  EXPECT_EQ(resumed.result.refused, expected.result.refused);
}

TEST(Checkpoints, ReportsByTimeComeWhenTheyWouldHaveCome) {
  FakeClock clock;
  Problem problem;
  problem.options.clock = clock.clock();
  Scheme scheme = small("ig");
  scheme.reporting = {.every_sweeps = 0, .every_seconds = 7};
  scheme.observers.step = [&clock](const StepRecord&) { clock.advance(1); };
  const Trained expected = problem.run(scheme);
  Scheme shorter = scheme;
  shorter.stopping.max_sweeps = 2;
  State last;
  problem.run(shorter, {.save = [&last](const State& state) { last = state; }});
  expect_same(problem.resume(scheme, last), expected);
}

TEST(Checkpoints, TheChargedTimeGoesOnFromWhereItWas) {
  FakeClock clock;
  Problem problem;
  problem.options.clock = clock.clock();
  Scheme scheme = small("bling");
  scheme.stopping.max_sweeps = 4;
  scheme.observers.sweep = [&clock](const SweepRecord&) { clock.advance(10); };
  State last;
  problem.run(scheme, {.save = [&](const State& state) {
                last = state;
                clock.advance(1000);  // not charged
              }});
  scheme.stopping.max_sweeps = 6;
  const Trained resumed = problem.resume(scheme, last);
  EXPECT_DOUBLE_EQ(resumed.result.history[3].seconds, 30);
  EXPECT_DOUBLE_EQ(resumed.result.history[5].seconds, 50);
  EXPECT_DOUBLE_EQ(resumed.result.seconds, 60);

  scheme.stopping.seconds = 25;
  const Trained late = problem.resume(scheme, last);
  EXPECT_EQ(late.result.reason, StopReason::time_limit);
  EXPECT_EQ(late.result.sweeps, 4U);
}

TEST(Checkpoints, AreKeptAsOftenAsAsked) {
  FakeClock clock;
  Problem problem;
  problem.options.clock = clock.clock();
  Scheme scheme = small("ig");  // 5 batches, 6 sweeps: 30 steps
  scheme.observers.step = [&clock](const StepRecord&) { clock.advance(1); };
  int saves = 0;
  problem.run(scheme, {.save = [&](const State&) { ++saves; }, .every_seconds = 10});
  EXPECT_EQ(saves, 2 + 1 + 1);  // before steps 11 and 21, after step 30, at the end
  saves = 0;
  problem.run(scheme, {.save = [&](const State&) { ++saves; }});
  EXPECT_EQ(saves, 1);
}

TEST(Checkpoints, ATargetThatWasReachedEndsTheRunAgain) {
  Problem problem;
  Scheme scheme = small("bling");
  const Trained longer = problem.run(scheme);
  scheme.stopping.objective_at_most = longer.result.history[2].value;
  State last;
  const Trained expected = problem.run(scheme, {.save = [&](const State& state) { last = state; }});
  ASSERT_EQ(expected.result.reason, StopReason::objective_at_most);
  expect_same(problem.resume(scheme, last), expected);
  scheme.stopping.objective_at_most = -std::numeric_limits<double>::infinity();
  expect_same(problem.resume(scheme, last), longer);
}

// What happens when the state of one run is given to another.
struct Refusal {
  Problem problem;
  Scheme scheme;
  State state;

  explicit Refusal(std::string_view method = "adam") : scheme(small(method)) {
    problem.run(scheme, {.save = [this](const State& s) { state = s; }});
  }
  [[nodiscard]] std::string sentence() const {
    Network network = random_network(problem.start.architecture(), 77, 0.3);
    const std::vector<double> before = weights_of(network);
    TrainOptions options = problem.options;
    options.checkpoints.resume = &state;
    try {
      train(network, problem.data, scheme, options);
    } catch (const Error& error) {
      EXPECT_EQ(weights_of(network), before);
      return error.what();
    }
    return "nothing was refused";
  }
};

TEST(Checkpoints, OfAnotherMethodAreRefused) {
  Refusal refusal;
  refusal.scheme = small("saga");
  EXPECT_EQ(refusal.sentence(),
            "option 'method' = 'saga': the run to resume was started with 'adam'; use the same, or start a "
            "new run");
}

TEST(Checkpoints, OfOtherDataAreRefused) {
  Refusal refusal;
  refusal.problem.data.targets[17] += 1e-9;
  EXPECT_THAT(refusal.sentence(), HasSubstr("option 'targets' = 'hash "));
  refusal = Refusal();
  refusal.problem.data.weights.assign(150, 1.0);
  EXPECT_THAT(refusal.sentence(), AllOf(HasSubstr("option 'weights' = 'hash "), HasSubstr("with 'none'")));
  refusal.problem.data = smooth_data(149, 3);
  EXPECT_THAT(refusal.sentence(),
              HasSubstr("option 'rows' = '149': the run to resume was started with '150'"));
}

TEST(Checkpoints, WithOtherValidationRowsAreRefused) {
  Refusal refusal;
  const Dataset rows = smooth_data(20, 3);
  refusal.problem.options.validation.data = &rows;
  EXPECT_THAT(refusal.sentence(),
              AllOf(HasSubstr("option 'validation.inputs' = 'hash "), HasSubstr("with 'none'")));
}

TEST(Checkpoints, OfAnotherNetworkAreRefused) {
  Refusal refusal;
  refusal.problem.start = random_network({.inputs = 3, .hidden = {5, 5}});
  EXPECT_THAT(refusal.sentence(), AllOf(HasSubstr("option 'network' = '3-5-5-1"), HasSubstr("'3-5-4-1")));
}

TEST(Checkpoints, OfOtherOptionsAreRefused) {
  Refusal l2;
  l2.problem.options.objective.l2 = 1e-3;
  EXPECT_THAT(l2.sentence(), HasSubstr("option 'l2' = '0.001': the run to resume was started with '0.0001'"));
  Refusal seed;
  seed.problem.options.seed = 4;
  EXPECT_THAT(seed.sentence(), HasSubstr("option 'seed' = '4'"));
  Refusal batches;
  batches.scheme.batches.size = 16;
  EXPECT_THAT(batches.sentence(), HasSubstr("option 'batch' = '16'"));
  Refusal rate;
  rate.scheme.updates.hidden = adam({.rate = 0.25});
  EXPECT_THAT(rate.sentence(),
              HasSubstr("option 'rate' = '0.25': the run to resume was started with '0.001'"));
  Refusal update;
  update.scheme.updates.hidden = adagrad();
  EXPECT_THAT(update.sentence(),
              HasSubstr("option 'updates.hidden' = 'adagrad': the run to resume was started with 'adam'"));
}

TEST(Checkpoints, WithAnotherOrderOfTheLayersAreRefused) {
  Refusal order("bling");
  EXPECT_EQ(order.sentence(), "nothing was refused");
  order.scheme.selection = forward_sweep();
  EXPECT_EQ(
      order.sentence(),
      "option 'order' = 'forward': the run to resume was started with 'backward'; use the same, or start "
      "a new run");
  order.scheme.selection = whole_network();
  EXPECT_THAT(order.sentence(), HasSubstr("option 'selection' = 'whole_network': the run to resume was "
                                          "started with 'every_layer'"));
}

// A new enumerator must not change what an old checkpoint means.
TEST(Checkpoints, StoreEnumeratorsByName) {
  const Refusal adam;
  const State& run = adam.state.part("run");
  EXPECT_EQ(run.text("batches.partition"), "every_epoch");
  EXPECT_EQ(run.text("batches.order"), "incremental");
  EXPECT_EQ(run.text("batches.precision"), "float64");
  EXPECT_EQ(run.text("step_size.rule"), "constant");
  EXPECT_EQ(run.text("kernels"), "simd");
  EXPECT_EQ(adam.state.text("place"), "batches");
  EXPECT_EQ(adam.state.text("reason"), "none");
}

TEST(Checkpoints, ThatAreDamagedAreRefused) {
  const Refusal whole;
  const auto with = [&whole](auto change) {
    Refusal damaged = whole;
    change(damaged.state);
    return damaged.sentence();
  };
  EXPECT_EQ(whole.sentence(), "nothing was refused");
  EXPECT_THAT(with([](State& s) { s = {}; }), HasSubstr("no integers named 'version'"));
  EXPECT_THAT(with([](State& s) { s.put("version", 1U); }), HasSubstr("option 'resume' = 'version 1'"));
  EXPECT_THAT(with([](State& s) { s.put("weights", Vector(3)); }), HasSubstr("3 values for 'weights' where"));
  EXPECT_THAT(with([](State& s) { s.part("best").put("best", Vector(3)); }),
              HasSubstr("weights that cannot be"));
  EXPECT_THAT(with([](State& s) { s.put("place", 9U); }), HasSubstr("place"));
  EXPECT_THAT(with([](State& s) { s.put("reason", std::vector<std::size_t>{99}); }), HasSubstr("reason"));
  EXPECT_THAT(with([](State& s) { s.part("statistics").put("layer_visits", std::vector<std::size_t>{1}); }),
              HasSubstr("by layer"));
  EXPECT_THAT(with([](State& s) { s.put("blocks", std::vector<std::size_t>{0, 9}); }), HasSubstr("blocks"));
  EXPECT_THAT(with([](State& s) { s.put("blocks", std::vector<std::size_t>{0}); }), HasSubstr("blocks"));
  EXPECT_THAT(with([](State& s) { s.put("history", std::vector<std::size_t>{1, 2}); }), HasSubstr("history"));
  EXPECT_THAT(with([](State& s) { s.part("border").put("valid_layers", 3U); }), HasSubstr("layers"));
  EXPECT_THAT(with([](State& s) {
                s.part("batches").put("shuffles", std::vector<std::size_t>{1, 2, 3, 4, 99});
              }),
              HasSubstr("shuffles of the rows"));
  EXPECT_THAT(with([](State& s) { s.part("batches").put("order", std::vector<std::size_t>{5}); }),
              HasSubstr("order of batches"));
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::size_t>>{
           {"done", 150}, {"cut_size", 0}, {"size", 0}, {"size", 151}})
    EXPECT_THAT(with([&](State& s) { s.part("batches").put(name, value); }), HasSubstr("order of batches"))
        << name << " " << value;
  EXPECT_THAT(with([](State& s) { s.part("updates").part("0").put("m", Vector(3)); }), HasSubstr("m' where"));
}

}  // namespace
}  // namespace strata
