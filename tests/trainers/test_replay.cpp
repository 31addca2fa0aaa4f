#include "support/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/short_tests.h"
#include "support/training.h"

namespace strata {
namespace {

using testing::HasSubstr;
using testing_support::SmallProblem;

using Steps = std::vector<RecordedStep>;

Steps record(const SmallProblem& problem, Scheme scheme) {
  Network network(problem.start);
  StepRecorder recorder(network);
  recorder.attach(scheme);
  train(network, problem.data, scheme, {.objective = problem.objective, .seed = 3});
  return recorder.steps();
}

std::optional<std::string> check(const SmallProblem& problem, const Scheme& scheme, const Steps& steps) {
  return find_disagreement(problem.start, problem.data, problem.objective,
                           std::get<ArmijoAcceptance>(scheme.acceptance), steps);
}

// A forcing function that Armijo points always satisfy (decrease / first_step exceeds it), but L-BFGS steps into
// flat valleys often do not.
Scheme with_strong_forcing(Scheme scheme) {
  scheme.acceptance = at_least_armijo({.line_search = {.decrease = 0.5}, .coefficient = 5e-3});
  return scheme;
}

Scheme short_b2ld() {
  Scheme scheme = b2ld();
  scheme.stopping = {.max_sweeps = 8};
  return scheme;
}

Scheme short_bld() {
  Scheme scheme = bld();
  scheme.stopping = {.max_sweeps = 5};
  return scheme;
}

Scheme short_neuron_wise() {
  Scheme scheme = neuron_wise();
  scheme.stopping = {.max_sweeps = 3};
  return scheme;
}

struct NamedScheme {
  std::string name;
  Scheme scheme;
};
void PrintTo(const NamedScheme& s, std::ostream* out) { *out << s.name; }

class ReplayOfARun : public testing::TestWithParam<NamedScheme> {};

TEST_P(ReplayOfARun, ConfirmsEveryLine) {
  const SmallProblem problem;
  const Steps steps = record(problem, GetParam().scheme);
  EXPECT_GT(steps.size(), 10U);
  EXPECT_EQ(check(problem, GetParam().scheme, steps).value_or("no disagreement"), "no disagreement");
}

Scheme with_selection(Scheme scheme, SelectionRecipe selection) {
  scheme.selection = std::move(selection);
  return scheme;
}

Scheme with_updates(Scheme scheme, Updates updates) {
  scheme.updates = std::move(updates);
  return scheme;
}

INSTANTIATE_TEST_SUITE_P(
    Replay, ReplayOfARun,
    testing::Values(NamedScheme{"b2ld", short_b2ld()}, NamedScheme{"bld", short_bld()},
                    NamedScheme{"b2ld_falling_back", with_strong_forcing(short_b2ld())},
                    NamedScheme{"bld_falling_back", with_strong_forcing(short_bld())},
                    NamedScheme{"growing_blocks", with_selection(short_b2ld(), layer_and_all_after())},
                    NamedScheme{"random_order", with_selection(short_bld(), random_sweep())},
                    NamedScheme{"neurons", short_neuron_wise()},
                    NamedScheme{"neurons_falling_back", with_strong_forcing(short_neuron_wise())},
                    NamedScheme{"groups_by_gradient_steps",
                                with_selection(with_updates(short_bld(), {.hidden = armijo_gradient_steps(),
                                                                          .output = least_squares()}),
                                               neuron_groups({3, LayerOrder::random}))},
                    NamedScheme{"gradient_steps",
                                with_updates(short_bld(), {.hidden = armijo_gradient_steps({.steps = 3}),
                                                           .output = conjugate_gradient()})}),
    [](const auto& instance) { return instance.param.name; });

// Down to where rounding decides which Armijo trial is refused, and whether a step is one at all.
TEST(Replay, ConfirmsRunsOfManyKindsOfNetworksDownToRounding) {
  const std::uint64_t seeds = testing_support::short_tests() ? 2 : 4;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    for (const Activation g : {Activation::sigmoid, Activation::tanh, Activation::softplus})
      for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{}, {4}, {3, 3}}) {
        SmallProblem problem;
        problem.data = testing_support::smooth_data(40, 2, 2, seed);
        problem.start = testing_support::random_network(
            {.inputs = 2, .hidden = hidden, .outputs = 2, .activation = g}, seed, 1.5);
        problem.objective.l2 = seed % 2 == 0 ? 0 : 1e-2;
        for (Scheme scheme : {b2ld(), bld()}) {
          scheme.stopping = {.max_sweeps = 60};
          EXPECT_EQ(check(problem, scheme, record(problem, scheme)).value_or("no disagreement"),
                    "no disagreement")
              << scheme.name << " " << to_string(g) << " " << hidden.size() << " hidden, seed " << seed;
        }
      }
}

TEST(Replay, TheFallingBackRunsDoFallBack) {
  const SmallProblem problem;
  const Steps steps = record(problem, with_strong_forcing(short_b2ld()));
  const auto fell_back = [](const RecordedStep& s) { return s.record.fallback; };
  EXPECT_GT(std::count_if(steps.begin(), steps.end(), fell_back), 0);
  EXPECT_GT(std::count_if(steps.begin(), steps.end(), std::not_fn(fell_back)), 0);
}

TEST(Replay, AnAlmostImpossibleForcingLeavesBlocksAsTheyAreAndIsConfirmed) {
  const SmallProblem problem;
  Scheme scheme = short_b2ld();
  scheme.acceptance = at_least_armijo({.coefficient = 1e6});
  const Steps steps = record(problem, scheme);
  ASSERT_FALSE(steps.empty());
  EXPECT_TRUE(steps.front().record.refused);
  EXPECT_FALSE(steps.front().record.fallback);
  EXPECT_EQ(steps.front().record.step_length, 0);
  EXPECT_EQ(check(problem, scheme, steps).value_or("no disagreement"), "no disagreement");
}

// --- A record that was changed, by little, in one place, is refused.

enum class StepKind { accepted, fell_back };

struct Tampering {
  std::string field;
  StepKind kind;
  std::function<void(RecordedStep&, const Network&)> apply;
  std::string complaint;  // what the sentence must name
};
void PrintTo(const Tampering& t, std::ostream* out) { *out << t.field; }

constexpr double slightly = 1 + 1e-6;

std::vector<Tampering> tamperings() {
  const auto number = [](std::string name, double StepRecord::*field) {
    return Tampering{name, StepKind::accepted,
                     [field](RecordedStep& s, const Network&) { s.record.*field *= slightly; }, name};
  };
  return {
      number("before", &StepRecord::before),
      number("after", &StepRecord::after),
      number("gradient_norm", &StepRecord::gradient_norm),
      number("armijo", &StepRecord::armijo),
      number("margin_armijo", &StepRecord::margin_armijo),
      number("margin_forcing", &StepRecord::margin_forcing),
      number("step_length", &StepRecord::step_length),
      number("trial", &StepRecord::trial),
      number("trial_length", &StepRecord::trial_length),
      {"fallback_claimed", StepKind::accepted,
       [](RecordedStep& s, const Network&) { s.record.fallback = true; }, "fallback"},
      {"fallback_denied", StepKind::fell_back,
       [](RecordedStep& s, const Network&) { s.record.fallback = false; }, "fallback"},
      {"skip_claimed", StepKind::accepted, [](RecordedStep& s, const Network&) { s.record.skipped = true; },
       "left as it was"},
      {"refusal_claimed", StepKind::accepted,
       [](RecordedStep& s, const Network&) { s.record.refused = true; }, "left as it was"},
      {"weight_inside", StepKind::accepted,
       [](RecordedStep& s, const Network& n) { s.weights[n.offset(s.record.block)] *= slightly; },
       "step_length"},
      {"weight_inside_after_falling_back", StepKind::fell_back,
       [](RecordedStep& s, const Network& n) { s.weights[n.offset(s.record.block)] *= slightly; },
       "step_length"},
      {"weight_outside", StepKind::accepted,
       [](RecordedStep& s, const Network& n) {
         const std::size_t first = s.record.block.first == 0 ? n.size() - 1 : 0;
         s.weights[first] *= slightly;
       },
       "outside the block"},
      {"block", StepKind::accepted,
       [](RecordedStep& s, const Network& n) {
         s.record.block = {(s.record.block.first + 1) % n.layers(), (s.record.block.first + 1) % n.layers()};
       },
       "recorded as"},
      {"block_beyond_the_network", StepKind::accepted,
       [](RecordedStep& s, const Network& n) {
         s.record.block = {0, n.layers()};
       },
       "block"},
      {"number_of_weights", StepKind::accepted, [](RecordedStep& s, const Network&) { s.weights.pop_back(); },
       "weights"},
  };
}

class ReplayOfATamperedRun : public testing::TestWithParam<Tampering> {};

TEST_P(ReplayOfATamperedRun, IsRefusedWithTheStepAndTheField) {
  const SmallProblem problem;
  const bool fell_back = GetParam().kind == StepKind::fell_back;
  const Scheme scheme = fell_back ? with_strong_forcing(short_b2ld()) : short_b2ld();
  Steps steps = record(problem, scheme);
  const auto victim = std::find_if(steps.begin() + 1, steps.end(), [&](const RecordedStep& s) {
    return !s.record.skipped && !s.record.refused && s.record.fallback == fell_back &&
           s.record.margin_forcing > 1e-5 && (fell_back || s.record.margin_armijo > 1e-5);
  });
  ASSERT_NE(victim, steps.end());
  GetParam().apply(*victim, problem.start);
  const auto problem_found = check(problem, scheme, steps);
  ASSERT_TRUE(problem_found.has_value());
  EXPECT_THAT(*problem_found, HasSubstr("step " + std::to_string(victim - steps.begin()) + " "));
  EXPECT_THAT(*problem_found, HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(Replay, ReplayOfATamperedRun, testing::ValuesIn(tamperings()),
                         [](const auto& instance) { return instance.param.field; });

TEST(Replay, AMissingStepBreaksTheChain) {
  const SmallProblem problem;
  const Scheme scheme = short_bld();
  Steps steps = record(problem, scheme);
  steps.erase(steps.begin() + 2);
  EXPECT_THAT(check(problem, scheme, steps).value_or(""), HasSubstr("step 2 "));
}

TEST(Replay, AnotherStartingPointIsNoticedAtOnce) {
  SmallProblem problem;
  const Scheme scheme = short_bld();
  const Steps steps = record(problem, scheme);
  problem.start.weights()[0] += 1e-6;
  EXPECT_THAT(check(problem, scheme, steps).value_or(""), HasSubstr("step 0 "));
}

TEST(Replay, AnObserverThatWasThereIsStillCalled) {
  const SmallProblem problem;
  Scheme scheme = short_bld();
  std::size_t seen = 0;
  scheme.observers.step = [&seen](const StepRecord&) { ++seen; };
  EXPECT_EQ(record(problem, scheme).size(), seen);
  EXPECT_GT(seen, 0U);
}

}  // namespace
}  // namespace strata
