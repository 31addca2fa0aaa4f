#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "strata/core/errors.h"
#include "strata/trainers/method_options.h"
#include "strata/trainers/presets.h"
#include "support/linear_minimum.h"
#include "support/training.h"
#include "trainers/run_parts.h"

namespace strata {
namespace {

using testing_support::distance;
using testing_support::feature_matrix;
using testing_support::linear_minimum;
using testing_support::random_network;
using testing_support::SmallProblem;
using testing_support::smooth_data;
using testing_support::Trained;
using testing_support::trained;
using testing_support::weights_of;

// --- Every selection with every update: the conditions of the theory hold at every step.

struct NamedSelection {
  std::string name;
  SelectionRecipe recipe;
};
struct NamedUpdates {
  std::string name;
  Updates updates;
};

std::vector<NamedSelection> selections() {
  return {{"backward", backward_sweep()},
          {"forward", forward_sweep()},
          {"random", random_sweep()},
          {"neurons", neuron_groups()},
          {"groups_of_neurons", neuron_groups({.group = 3, .order = LayerOrder::random})},
          {"whole", whole_network()},
          {"layer_and_all_after", layer_and_all_after()},
          {"largest_gradient", largest_gradient()},
          {"given", given_order({{0, 1}, {2, 2}, {0, 0}})},
          {"subset", fixed_subset({0, 2}, LayerOrder::forward)},
          {"random_subset", random_subset(2, LayerOrder::random)},
          {"one_layer", one_layer_per_batch(LayerOrder::backward)}};
}

std::vector<NamedUpdates> updates() {
  return {
      {"lbfgs", {.hidden = lbfgs()}},
      {"lbfgs_direct_output", {.hidden = lbfgs({.quadratic_output = false})}},
      {"lbfgs_keeping_history", {.hidden = lbfgs({.solver = {.max_iterations = 5, .keep_history = true}})}},
      {"gradient_steps", {.hidden = armijo_gradient_steps({.steps = 3})}},
      {"exact_output", {.hidden = lbfgs(), .output = least_squares()}},
      {"cg_output", {.hidden = armijo_gradient_steps(), .output = conjugate_gradient()}}};
}

class EverySelectionWithEveryUpdate
    : public testing::TestWithParam<std::tuple<NamedSelection, NamedUpdates>> {};

TEST_P(EverySelectionWithEveryUpdate, NeverIncreasesTheObjectiveAndSatisfiesBothConditions) {
  const SmallProblem problem;
  Scheme scheme;
  scheme.selection = std::get<0>(GetParam()).recipe;
  scheme.updates = std::get<1>(GetParam()).updates;
  scheme.stopping = {.max_sweeps = 12};
  scheme.reporting.steps = true;
  const ArmijoAcceptance conditions{.coefficient = 1e-5};
  scheme.acceptance = at_least_armijo(conditions);
  const auto [network, result] =
      trained(problem.start, problem.data, scheme, {.objective = problem.objective});

  double value = problem.value_at(problem.start);
  EXPECT_NEAR(result.steps.front().before, value, 1e-13);
  for (const StepRecord& step : result.steps) {
    EXPECT_NEAR(step.before, value, 1e-13);  // the quadratic form rounds otherwise than the function itself
    EXPECT_LE(step.after, step.before);
    value = step.after;
    if (step.skipped || step.refused) continue;
    EXPECT_LE(step.after, step.armijo);
    EXPECT_LE(step.after - step.before, -conditions.coefficient * step.step_length * step.step_length);
    EXPECT_GE(step.margin_armijo, 0);
    EXPECT_GE(step.margin_forcing, 0);
    EXPECT_GT(step.step_length, 0);
  }
  EXPECT_LT(value, 0.9 * result.steps.front().before);
  EXPECT_NEAR(result.value, value, 1e-13);
  EXPECT_NEAR(problem.value_at(network), value, 1e-13);
  for (std::size_t i = 1; i < result.history.size(); ++i)
    EXPECT_LE(result.history[i].value, result.history[i - 1].value + 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Train, EverySelectionWithEveryUpdate,
                         testing::Combine(testing::ValuesIn(selections()), testing::ValuesIn(updates())),
                         [](const auto& instance) {
                           return std::get<0>(instance.param).name + "_" + std::get<1>(instance.param).name;
                         });

// --- A strictly convex problem has one answer, known in closed form.

struct ConvexCase {
  std::string name;
  Updates updates;
};

class ConvexProblem : public testing::TestWithParam<ConvexCase> {};

TEST_P(ConvexProblem, OfOneLayerIsSolvedToTheClosedFormMinimum) {
  for (const std::size_t outputs : {1U, 3U}) {
    const Dataset data = smooth_data(200, 4, outputs);
    const Network start = random_network({.inputs = 4, .hidden = {}, .outputs = outputs});
    Scheme scheme = bld();
    scheme.updates = GetParam().updates;
    scheme.stopping = {.gradient_norm = 1e-8, .max_sweeps = 20000};
    const auto [network, result] = trained(start, data, scheme, {.objective = {.l2 = 1e-2}});
    Vector features;
    const auto minimum = linear_minimum(feature_matrix(data, features), data.y(), 1e-2);
    EXPECT_TRUE(converged(result.reason)) << result.message;
    EXPECT_LE(result.gradient_norm, 1.01e-8);
    EXPECT_NEAR(result.value, minimum.value, 1e-14);
    EXPECT_LT(distance(network.layer(0), minimum.weights), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Train, ConvexProblem,
    testing::Values(ConvexCase{"lbfgs", {.hidden = lbfgs()}},
                    ConvexCase{"lbfgs_direct", {.hidden = lbfgs({.quadratic_output = false})}},
                    ConvexCase{"least_squares", {.hidden = least_squares()}},
                    ConvexCase{"cg", {.hidden = conjugate_gradient()}},
                    ConvexCase{"gradient_steps", {.hidden = armijo_gradient_steps({.steps = 10})}}),
    [](const auto& instance) { return instance.param.name; });

TEST(OutputLayer, AloneIsSolvedToTheClosedFormMinimumOfItsInputs) {
  const SmallProblem problem;
  const Scheme scheme = elm();
  const auto [network, result] =
      trained(problem.start, problem.data, scheme, {.objective = problem.objective});
  // The output layer's inputs: what the same network computes without its last layer.
  Network prefix({.inputs = 3, .hidden = {5}, .outputs = 4});
  std::copy_n(problem.start.weights().begin(), prefix.size(), prefix.weights().begin());
  Vector features;
  Vector z(problem.data.rows * 4);
  const Matrix inputs(z.data(), problem.data.rows, 4);
  prefix.predict(feature_matrix(problem.data, features), inputs);
  for (double& a : z) a = 1 / (1 + std::exp(-a));
  const auto minimum = linear_minimum(inputs, problem.data.y(), problem.objective.l2);
  EXPECT_LT(distance(network.layer(2), minimum.weights), 1e-9);
  for (std::size_t i = 0; i < network.offset({2, 2}); ++i)
    ASSERT_EQ(network.weights()[i], problem.start.weights()[i]);  // random hidden layers stay random
  EXPECT_EQ(result.sweeps, 1U);
}

// --- Convergence of the whole network

class Convergence : public testing::TestWithParam<SelectionRecipe> {};

TEST_P(Convergence, TheFullGradientGoesToZeroInAnyOrder) {
  const Dataset data = smooth_data(50, 2);
  for (const std::uint64_t seed : {2U, 3U, 4U}) {
    const Network start =
        random_network({.inputs = 2, .hidden = {4, 3}, .activation = Activation::tanh}, seed);
    Scheme scheme = bld();
    scheme.selection = GetParam();
    scheme.stopping = {.gradient_norm = 1e-6, .max_sweeps = 20000};
    const auto [network, result] = trained(start, data, scheme, {.objective = {.l2 = 1e-2}, .seed = seed});
    EXPECT_EQ(result.reason, StopReason::gradient_tolerance) << result.message;
    EXPECT_LE(result.gradient_norm, 1e-6);
    Network copy(network);
    const PackedRows rows(data);
    Vector gradient(copy.size());
    Objective(copy, rows, {.l2 = 1e-2, .kernels = KernelSet::reference}).value_and_gradient(gradient);
    EXPECT_LE(norm(gradient), 1.001e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Train, Convergence,
                         testing::Values(backward_sweep(), forward_sweep(), random_sweep(), neuron_groups(),
                                         neuron_groups({.group = 2, .order = LayerOrder::forward})));

// --- Neurons

TEST(NeuronWise, RecordsWhichNeuronsWereVisitedAndCountsTheirIterationsForTheLayer) {
  const SmallProblem problem;
  Scheme scheme = preset("neuron-wise", 3, {{"group", "2"}, {"iterations", "4"}});
  scheme.stopping = {.max_sweeps = 2};
  const auto [network, result] =
      trained(problem.start, problem.data, scheme, {.objective = problem.objective});
  ASSERT_EQ(result.steps.size(), 2 * 6U);
  EXPECT_EQ(result.steps[0].block, (Block{2, 2}));
  EXPECT_EQ(result.steps[1].block, (Block{1, 1, 2, 2}));
  EXPECT_EQ(result.steps[3].block, (Block{0, 0, 4, 1}));
  std::vector<std::size_t> counted(3, 0);
  for (const StepRecord& step : result.steps)
    counted[step.block.first] += static_cast<std::size_t>(step.iterations);
  EXPECT_EQ(result.updates_per_layer, counted);
}

// No L-BFGS iterations: what is left is one Armijo step of steepest descent for each group.
TEST(NeuronWise, WithoutIterationsTakesTheArmijoPoint) {
  const SmallProblem problem;
  Scheme scheme = preset("neuron-wise", 3, {{"iterations", "0"}});
  scheme.stopping = {.max_sweeps = 3};
  const auto [network, result] =
      trained(problem.start, problem.data, scheme, {.objective = problem.objective});
  for (const StepRecord& step : result.steps)
    EXPECT_TRUE(!step.block.is_part() || (step.fallback && step.after == step.armijo));
  EXPECT_LT(result.value, problem.value_at(problem.start));
}

// The rule on small decreases asks all neurons of a layer, not the last one.
TEST(NeuronWise, HasDecreasedLittleWhereNoGroupOfTheSweepDecreasedMore) {
  const auto step = [](Block block, double decrease) {
    StepRecord record;
    record.block = block;
    record.before = 0.5;
    record.after = 0.5 - decrease;
    return record;
  };
  SweepStatistics statistics(2);
  const auto sweep = [&](double first_group, double second_group) {
    statistics.begin_sweep();
    statistics.add(step({1, 1}, 0), 1e-3);
    statistics.add(step({0, 0, 2, 2}, first_group), 1e-3);
    statistics.add(step({0, 0, 0, 2}, second_group), 1e-3);
    return statistics.every_layer_decreased_little();
  };
  EXPECT_FALSE(sweep(0.1, 0));
  EXPECT_FALSE(sweep(0, 0.1));
  EXPECT_TRUE(sweep(0, 1e-4));
  EXPECT_FALSE(sweep(2e-3, 0));
}

TEST(NeuronWise, PartsThatTheNetworkDoesNotHaveAreRefused) {
  const SmallProblem problem;  // 5 and 4 hidden neurons
  const auto refusal = [&](Block part) -> std::string {
    Scheme scheme = neuron_wise();
    scheme.selection = given_order({part});
    scheme.stopping = {.max_sweeps = 1};
    try {
      trained(problem.start, problem.data, scheme, {});
    } catch (const InvalidOption& refused) {
      return refused.what();
    }
    return "not refused";
  };
  EXPECT_EQ(refusal({0, 0, 3, 2}), "not refused");
  const std::string remedy = "choose layers that the network has, or neurons of one of its hidden layers";
  EXPECT_EQ(refusal({0, 0, 4, 2}), "option 'selection' = '0:4-5': " + remedy);
  EXPECT_EQ(refusal({2, 2, 0, 1}), "option 'selection' = '2:0-0': " + remedy);
}

TEST(NeuronWise, UpdatesThatNeedWholeLayersAreRefused) {
  const SmallProblem problem;
  for (const UpdateRecipe& update : {gradient_step(), adam(), svrg(), gauss_newton()}) {
    Scheme scheme = neuron_wise();
    scheme.updates.hidden = update;
    Network network(problem.start);
    try {
      train(network, problem.data, scheme, {});
      FAIL() << "not refused";
    } catch (const InvalidOption& refusal) {
      EXPECT_NE(
          std::string(refusal.what()).find("groups of neurons are updated by lbfgs or armijo_gradient_steps"),
          std::string::npos);
    }
    EXPECT_EQ(weights_of(network), weights_of(problem.start));
  }
}

// --- Reproducibility

Scheme short_run(Scheme scheme) {
  scheme.stopping = {.max_sweeps = 4};
  return scheme;
}

TEST(Train, GivesTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = smooth_data(1500, 3);
  const Network start = random_network({.inputs = 3, .hidden = {5, 4}});
  for (const std::string_view name : {"b2ld", "bld", "neuron-wise", "lbfgs", "bling", "ig", "adam", "saga"}) {
    Scheme scheme = short_run(preset(name, 3));
    scheme.batches.size = scheme.batches.size == 0 ? 0 : 300;
    const auto run = [&](std::size_t threads) {
      Engine engine({.threads = threads});
      return trained(start, data, scheme, {.objective = {.l2 = 1e-4}, .engine = &engine, .seed = 5});
    };
    const Trained one = run(1);
    for (const std::size_t threads : {2U, 3U}) {
      const Trained many = run(threads);
      EXPECT_EQ(weights_of(many.network), weights_of(one.network)) << name << " on " << threads << " threads";
      EXPECT_EQ(many.result.value, one.result.value);
      EXPECT_EQ(many.result.work, one.result.work);
    }
  }
}

TEST(Train, ASecondRunOfTheSameSchemeEqualsTheFirstBitForBit) {
  const SmallProblem problem;
  for (const MethodInfo& method : methods()) {
    Scheme scheme = short_run(preset(method.name, 3));
    if (scheme.batches.size > 0) scheme.batches.size = 8;
    if (method.name == "b2ld") scheme.selection = random_sweep();
    const TrainOptions options{.objective = problem.objective, .seed = 5};
    const Trained first = trained(problem.start, problem.data, scheme, options);
    const Trained second = trained(problem.start, problem.data, scheme, options);
    EXPECT_EQ(weights_of(first.network), weights_of(second.network)) << method.name;
    EXPECT_NE(weights_of(first.network), weights_of(problem.start)) << method.name;
    ASSERT_EQ(first.result.history.size(), second.result.history.size());
    for (std::size_t i = 0; i < first.result.history.size(); ++i)
      EXPECT_EQ(first.result.history[i].value, second.result.history[i].value);
  }
}

TEST(Train, AnotherSeedDrawsAnotherOrder) {
  const SmallProblem problem;
  Scheme scheme = short_run(bld());
  scheme.selection = random_sweep();
  const auto with_seed = [&](std::uint64_t seed) {
    return weights_of(
        trained(problem.start, problem.data, scheme, {.objective = problem.objective, .seed = seed}).network);
  };
  EXPECT_NE(with_seed(1), with_seed(2));
}

// --- Blocks that stay as they are

// Without a bias and with all weights zero, tanh passes nothing on: the gradient of every hidden layer is zero.
TEST(Train, AZeroGradientLeavesTheBlockAsItIs) {
  const Dataset data = smooth_data(30, 2);
  Network network({.inputs = 2, .hidden = {3}, .activation = Activation::tanh, .bias = Bias::none});
  for (const UpdateRecipe& update : {lbfgs(), armijo_gradient_steps()}) {
    Scheme scheme = bld();
    scheme.updates = {.hidden = update};
    scheme.stopping = {.max_sweeps = 2};
    const TrainingResult result = train(network, data, scheme);
    for (const double w : network.weights()) EXPECT_EQ(w, 0);
    for (const StepRecord& step : result.steps) {
      EXPECT_TRUE(step.skipped);
      EXPECT_EQ(step.gradient_norm, 0);
      EXPECT_EQ(step.after, step.before);
      EXPECT_EQ(step.step_length, 0);
    }
  }
}

TEST(B2ld, SkipsLayersWithinAToleranceThatShrinksFromSweepToSweep) {
  const SmallProblem problem;
  Scheme scheme = b2ld();
  scheme.tolerance = {.first = 2e-2, .factor = 0.9};
  scheme.stopping = {.max_sweeps = 40};
  const auto [network, result] =
      trained(problem.start, problem.data, scheme, {.objective = problem.objective});
  std::size_t skipped = 0;
  for (const StepRecord& step : result.steps) {
    const double epsilon = 2e-2 * std::pow(0.9, static_cast<double>(step.sweep));
    EXPECT_EQ(step.skipped, step.gradient_norm <= epsilon * (1 + 1e-12));
    skipped += step.skipped ? 1 : 0;
    EXPECT_LE(step.iterations, 30);
  }
  EXPECT_GT(skipped, 0U);
  EXPECT_LT(skipped, result.steps.size());
}

TEST(B2ld, CountsTheIterationsOfEveryLayer) {
  const SmallProblem problem;
  Scheme scheme = preset("b2ld", 3, {{"iterations", "4"}});
  scheme.stopping = {.max_sweeps = 6};
  const auto [network, result] =
      trained(problem.start, problem.data, scheme, {.objective = problem.objective});
  std::vector<std::size_t> counted(3, 0);
  for (const StepRecord& step : result.steps) {
    EXPECT_LE(step.iterations, 4);
    counted[step.block.first] += static_cast<std::size_t>(step.iterations);
  }
  EXPECT_EQ(result.updates_per_layer, counted);
  EXPECT_EQ(*std::max_element(counted.begin(), counted.end()), 24U);

  scheme.selection = given_order({{1, 2}, {1, 1}});  // a block's iterations count for each of its layers
  const auto grouped = trained(problem.start, problem.data, scheme, {.objective = problem.objective}).result;
  EXPECT_EQ(grouped.updates_per_layer[0], 0U);
  EXPECT_GT(grouped.updates_per_layer[1], grouped.updates_per_layer[2]);
}

// --- Values that are not finite

TEST(Train, AStartThatIsNotFiniteEndsTheRunWithThatReasonAndChangesNothing) {
  const Dataset data = smooth_data(40, 3);
  for (const std::string_view name :
       {"b2ld", "bld", "neuron-wise", "lbfgs", "elm", "ig", "bling", "adam", "svrg", "saga"}) {
    Network start = random_network({.inputs = 3, .hidden = {5, 5}, .activation = Activation::relu}, 2, 1e160);
    for (double& w : start.weights()) w = std::abs(w);
    Scheme scheme = preset(name, 3);
    scheme.stopping.max_sweeps = 300;
    const auto [network, result] = trained(start, data, scheme, {});
    EXPECT_EQ(result.reason, StopReason::non_finite) << name << ": " << result.message;
    EXPECT_EQ(weights_of(network), weights_of(start)) << name;
    EXPECT_GT(result.refused, 0U) << name;
    EXPECT_FALSE(std::isfinite(result.value));
  }
}

// The first trial steps overflow; the value at the start does not.
TEST(Train, StepsToWhereTheFunctionOverflowsNeverWin) {
  const Dataset data = smooth_data(40, 3);
  const Network start =
      random_network({.inputs = 3, .hidden = {6, 6, 6}, .activation = Activation::relu}, 4, 3e20);
  const SmallProblem problem{.data = data, .start = start, .objective = {}};
  const double before = problem.value_at(start);
  ASSERT_TRUE(std::isfinite(before));
  for (const std::string_view name : {"b2ld", "bld", "neuron-wise", "lbfgs"}) {
    Scheme scheme = preset(name, 4);
    scheme.stopping.max_sweeps = 10;
    const auto [network, result] = trained(start, data, scheme, {});
    EXPECT_TRUE(std::isfinite(result.value)) << name;
    EXPECT_LE(result.value, before) << name;
    EXPECT_EQ(result.value, problem.value_at(network)) << name;
    for (const SweepRecord& sweep : result.history) EXPECT_LE(sweep.value, before);
  }
}

TEST(Train, DataThatAreNotFiniteAreRefusedWithTheirRow) {
  const Network start = random_network({.inputs = 3, .hidden = {5}});
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Dataset wrong_target = smooth_data(40, 3), wrong_input = smooth_data(40, 3);
    wrong_target.y()(16, 0) = bad;
    wrong_input.x(16, 2) = bad;
    for (const Dataset* data : {&wrong_target, &wrong_input}) {
      Network network(start);
      try {
        train(network, *data, b2ld());
        ADD_FAILURE() << "was not refused";
      } catch (const InvalidOption& refusal) {
        EXPECT_NE(std::string(refusal.what()).find("row 17"), std::string::npos) << refusal.what();
      }
      EXPECT_EQ(weights_of(network), weights_of(start));
    }
  }
}

// --- Refusals at the door

TEST(Train, LeastSquaresIsRefusedForBlocksThatAreNotTheOutputLayer) {
  const SmallProblem problem;
  for (const UpdateRecipe& update : {least_squares(), conjugate_gradient()}) {
    Scheme scheme = bld();
    scheme.updates = {.hidden = update};
    Network network(problem.start);
    EXPECT_THROW(train(network, problem.data, scheme), InvalidOption);
    scheme.selection = whole_network();
    EXPECT_THROW(train(network, problem.data, scheme), InvalidOption);
  }
}

TEST(Train, OptionsThatCannotBeUsedAreRefused) {
  const SmallProblem problem;
  const auto refused = [&](const auto& change) {
    Scheme scheme = bld();
    change(scheme);
    Network network(problem.start);
    EXPECT_THROW(train(network, problem.data, scheme), InvalidOption);
    EXPECT_EQ(weights_of(network), weights_of(problem.start));
  };
  const double nan = std::nan("");
  refused([](Scheme& s) { s.updates.hidden = {}; });
  refused([](Scheme& s) { s.stopping = {}; });
  refused([](Scheme& s) { s.stopping.gradient_norm = -1; });
  refused([&](Scheme& s) { s.stopping.gradient_norm = nan; });
  refused([&](Scheme& s) { s.stopping.relative_decrease = nan; });
  refused([](Scheme& s) { s.stopping.seconds = -1; });
  refused([&](Scheme& s) { s.stopping.objective_at_most = nan; });
  refused([](Scheme& s) { s.reporting.every_seconds = -1; });
  refused([](Scheme& s) { s.tolerance.first = -1e-3; });
  refused([](Scheme& s) { s.tolerance.factor = 0; });
  refused([](Scheme& s) { s.tolerance.factor = 1.5; });
  refused([](Scheme& s) { s.step_size.first = 0; });
  refused([](Scheme& s) { s.step_size.first = std::numeric_limits<double>::infinity(); });
  refused([](Scheme& s) { s.step_size = {.rule = StepSize::Rule::diminishing, .first = 0.5, .epsilon = 2}; });
  refused([](Scheme& s) { s.acceptance = at_least_armijo({.coefficient = -1}); });
  refused([](Scheme& s) { s.acceptance = at_least_armijo({.power = 0}); });
  refused([](Scheme& s) { s.acceptance = at_least_armijo({.line_search = {.shrink = 1}}); });
  refused([](Scheme& s) { s.updates.hidden = lbfgs({.solver = {.memory = 0}}); });
  refused([](Scheme& s) { s.updates.hidden = armijo_gradient_steps({.steps = -1}); });
  refused([](Scheme& s) { s.selection = fixed_subset({3}, LayerOrder::forward); });
  refused([](Scheme& s) { s.selection = given_order({{1, 3}}); });
}

TEST(Preset, EveryMethodHasItsOwnNameAndUnknownNamesAreRefusedWithTheKnownOnes) {
  for (const MethodInfo& method : methods()) EXPECT_EQ(preset(method.name, 3).name, method.name);
  try {
    preset("newton", 3);
    ADD_FAILURE() << "was not refused";
  } catch (const InvalidOption& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("b2ld"), std::string::npos);
    EXPECT_NE(std::string(refusal.what()).find("newton"), std::string::npos);
  }
}

}  // namespace
}  // namespace strata
