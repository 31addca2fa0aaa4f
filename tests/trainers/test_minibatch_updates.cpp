// Each minibatch update against a few lines of plain code, and on a problem with a known answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "strata/core/errors.h"
#include "strata/trainers/method_options.h"
#include "strata/trainers/presets.h"
#include "support/linear_minimum.h"
#include "support/replay.h"
#include "support/training.h"

namespace strata {
namespace {

using testing_support::distance;
using testing_support::feature_matrix;
using testing_support::linear_minimum;
using testing_support::random_network;
using testing_support::smooth_data;

constexpr double penalty = 1e-2;
constexpr std::size_t row_count = 30;
constexpr std::size_t sweep_limit = 5;

Dataset some_rows(const Dataset& data, std::size_t first, std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return take_rows(data, numbers);
}

// All that the plain code of a method needs: the weights, and gradients of batches of consecutive rows.
struct Plain {
  Dataset data = smooth_data(row_count, 3, 2);
  Network network = random_network({.inputs = 3, .hidden = {4, 3}, .outputs = 2}, 5);
  std::size_t batch_size = 7;

  std::size_t step = 0;   // from 0
  std::size_t batch = 0;  // of this step
  double alpha = 0.5;

  Vector first, second, snapshot, full;  // whatever a method remembers
  std::vector<Vector> table;

  [[nodiscard]] std::size_t batches() const { return (row_count + batch_size - 1) / batch_size; }
  [[nodiscard]] std::size_t rows_in_batch() const {
    return std::min(batch_size, row_count - batch * batch_size);
  }
  Vector gradient_of_rows(std::size_t from, std::size_t count, std::span<const double> weights) {
    const Dataset part = some_rows(data, from, count);
    const PackedRows packed(part);
    Network copy(network);
    std::ranges::copy(weights, copy.weights().begin());
    Vector gradient(copy.size());
    Objective(copy, packed, {.l2 = penalty}).value_and_gradient(gradient);
    return gradient;
  }
  Vector gradient(std::span<const double> weights) {
    return gradient_of_rows(batch * batch_size, rows_in_batch(), weights);
  }
  Vector gradient() { return gradient(network.weights()); }
  Vector full_gradient() { return gradient_of_rows(0, row_count, network.weights()); }
};

struct UpdateCase {
  std::string name;
  UpdateRecipe update;
  StepSize step_size;
  std::function<void(Plain&)> plain;  // one step
};
void PrintTo(const UpdateCase& c, std::ostream* out) { *out << c.name; }

double clipped(double norm_of_gradient, double least, double most) {
  return norm_of_gradient < least ? least : norm_of_gradient > most ? most : norm_of_gradient;
}

std::vector<UpdateCase> update_cases() {
  using Rule = StepSize::Rule;
  const auto plain_step = [](Plain& p, double step) { add_scaled(p.network.weights(), -step, p.gradient()); };
  return {
      {"constant",
       gradient_step({.normalise = false}),
       {.rule = Rule::constant, .first = 0.3},
       [=](Plain& p) { plain_step(p, 0.3); }},
      {"diminishing",
       gradient_step({.normalise = false}),
       {.rule = Rule::diminishing, .first = 0.5, .epsilon = 0.2},
       [=](Plain& p) {
         plain_step(p, p.alpha);
         p.alpha = p.alpha * (1 - 0.2 * p.alpha);
       }},
      {"harmonic",
       gradient_step({.normalise = false}),
       {.rule = Rule::harmonic, .first = 0.5},
       [=](Plain& p) { plain_step(p, 0.5 / static_cast<double>(p.step + 1)); }},
      {"normalised",
       gradient_step(),
       {.rule = Rule::constant, .first = 0.1},
       [=](Plain& p) { plain_step(p, 0.1 / clipped(norm(p.gradient()), 1e-3, 1e6)); }},
      {"normalised_below",
       gradient_step({.least = 50, .most = 100}),
       {.rule = Rule::constant, .first = 0.1},
       [=](Plain& p) { plain_step(p, 0.1 / 50); }},
      {"normalised_above",
       gradient_step({.least = 1e-6, .most = 1e-2}),
       {.rule = Rule::constant, .first = 1e-3},
       [=](Plain& p) { plain_step(p, 1e-3 / 1e-2); }},
      {"sum",
       gradient_step({.normalise = false, .sum = true}),
       {.rule = Rule::constant, .first = 0.02},
       [=](Plain& p) { plain_step(p, 0.02 * static_cast<double>(p.rows_in_batch())); }},
      {"normalised_sum",
       gradient_step({.least = 1, .most = 2, .sum = true}),
       {.rule = Rule::constant, .first = 0.1},
       [=](Plain& p) {
         const auto count = static_cast<double>(p.rows_in_batch());
         plain_step(p, 0.1 / clipped(count * norm(p.gradient()), 1, 2) * count);
       }},
      {"adam",
       adam({.rate = 0.05}),
       {},
       [](Plain& p) {
         p.first.resize(p.network.size());
         p.second.resize(p.network.size());
         const Vector g = p.gradient();
         const auto t = static_cast<double>(p.step + 1);
         for (std::size_t i = 0; i < g.size(); ++i) {
           p.first[i] = 0.9 * p.first[i] + 0.1 * g[i];
           p.second[i] = 0.999 * p.second[i] + 0.001 * g[i] * g[i];
           const double m = p.first[i] / (1 - std::pow(0.9, t));
           const double v = p.second[i] / (1 - std::pow(0.999, t));
           p.network.weights()[i] -= 0.05 * m / (std::sqrt(v) + 1e-8);
         }
       }},
      {"adam_with_cosine",
       adam({.rate = 0.05, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-3, .cosine = true}),
       {},
       [](Plain& p) {
         p.first.resize(p.network.size());
         p.second.resize(p.network.size());
         const Vector g = p.gradient();
         const auto t = static_cast<double>(p.step + 1);
         const double done = static_cast<double>(p.step) / static_cast<double>(sweep_limit * p.batches());
         const double rate = 0.05 * (1 + std::cos(std::numbers::pi * done)) / 2;
         for (std::size_t i = 0; i < g.size(); ++i) {
           p.first[i] = 0.8 * p.first[i] + 0.2 * g[i];
           p.second[i] = 0.95 * p.second[i] + 0.05 * g[i] * g[i];
           const double m = p.first[i] / (1 - std::pow(0.8, t));
           const double v = p.second[i] / (1 - std::pow(0.95, t));
           p.network.weights()[i] -= rate * m / (std::sqrt(v) + 1e-3);
         }
       }},
      {"adagrad",
       adagrad({.rate = 0.1}),
       {},
       [](Plain& p) {
         p.second.resize(p.network.size());
         const Vector g = p.gradient();
         for (std::size_t i = 0; i < g.size(); ++i) {
           p.second[i] += g[i] * g[i];
           p.network.weights()[i] -= 0.1 * g[i] / (std::sqrt(p.second[i]) + 1e-10);
         }
       }},
      {"svrg",
       svrg({.rate = 0.2, .snapshot_every = 2}),
       {},
       [](Plain& p) {
         if (p.step % (2 * p.batches()) == 0) {
           p.snapshot.assign(p.network.weights().begin(), p.network.weights().end());
           p.full = p.full_gradient();
         }
         const Vector here = p.gradient(), there = p.gradient(p.snapshot);
         for (std::size_t i = 0; i < here.size(); ++i)
           p.network.weights()[i] -= 0.2 * (here[i] - there[i] + p.full[i]);
       }},
      {"saga",
       saga({.rate = 0.1}),
       {},
       [](Plain& p) {
         p.table.resize(p.batches(), Vector(p.network.size(), 0.0));
         Vector mean(p.network.size(), 0.0);
         for (const Vector& entry : p.table) add_scaled(mean, 1 / static_cast<double>(p.batches()), entry);
         const Vector g = p.gradient();
         for (std::size_t i = 0; i < g.size(); ++i)
           p.network.weights()[i] -= 0.1 * (g[i] - p.table[p.batch][i] + mean[i]);
         p.table[p.batch] = g;
       }},
  };
}

class EveryUpdate : public testing::TestWithParam<UpdateCase> {};

// Sizes below, above and between multiples of a vector; the last batch is smaller, or of one row.
TEST_P(EveryUpdate, FollowsItsFormulaStepByStep) {
  for (const std::size_t batch_size : {1U, 3U, 7U, 8U, 29U}) {
    Plain plain;
    plain.batch_size = batch_size;
    Network network(plain.network);
    StepRecorder recorder(network);
    Scheme scheme = with_update("case", GetParam().update, batch_size);
    scheme.batches.partition = Partition::fixed;
    scheme.step_size = GetParam().step_size;
    scheme.stopping = {.max_sweeps = sweep_limit};
    recorder.attach(scheme);
    train(network, plain.data, scheme, {.objective = {.l2 = penalty}});

    ASSERT_EQ(recorder.steps().size(), sweep_limit * plain.batches());
    for (const RecordedStep& step : recorder.steps()) {
      plain.batch = plain.step % plain.batches();
      GetParam().plain(plain);
      ++plain.step;
      ASSERT_EQ(step.record.batch, plain.batch);
      for (std::size_t i = 0; i < step.weights.size(); ++i)
        ASSERT_NEAR(step.weights[i], plain.network.weights()[i], 1e-11)
            << "step " << plain.step << ", batches of " << batch_size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Minibatch, EveryUpdate, testing::ValuesIn(update_cases()),
                         [](const auto& instance) { return instance.param.name; });

// Algorithm 5: one layer after the other on the same minibatch, each at the weights the others have left.
TEST(Bling, FollowsItsFormulaLayerByLayer) {
  for (const bool forward : {false, true}) {
    Plain plain;
    Network network(plain.network);
    StepRecorder recorder(network);
    Scheme scheme = bling(3, plain.batch_size);
    if (forward) scheme.selection = forward_sweep();
    scheme.stopping = {.max_sweeps = sweep_limit};
    recorder.attach(scheme);
    train(network, plain.data, scheme, {.objective = {.l2 = penalty}});

    ASSERT_EQ(recorder.steps().size(), 3 * sweep_limit * plain.batches());
    auto step = recorder.steps().begin();
    double alpha = 0.5;  // three layers: 0.5 / max(1, 3 - 2)
    for (std::size_t k = 0; k < sweep_limit * plain.batches(); ++k) {
      plain.batch = k % plain.batches();
      for (const std::size_t l :
           forward ? std::vector<std::size_t>{0, 1, 2} : std::vector<std::size_t>{2, 1, 0}) {
        const Block block{l, l};
        const Vector g = plain.gradient();
        const auto own = std::span(g).subspan(network.offset(block), network.size(block));
        add_scaled(plain.network.weights(block), -alpha / clipped(norm(own), 1e-3, 1e6), own);
        ASSERT_EQ(step->record.block, block);
        for (std::size_t i = 0; i < step->weights.size(); ++i)
          ASSERT_NEAR(step->weights[i], plain.network.weights()[i], 1e-10) << "minibatch " << k;
        ++step;
      }
      alpha *= 1 - 5e-3 * alpha;
    }
  }
}

TEST(Bling, DividesTheFirstStepByTheLayersBeyondTwo) {
  EXPECT_EQ(bling(1).step_size.first, 0.5);
  EXPECT_EQ(bling(3).step_size.first, 0.5);
  EXPECT_EQ(bling(6).step_size.first, 0.125);
}

// One layer of one minibatch, both drawn at random; a snapshot of all layers for each of them.
TEST(MrbcdVr, FollowsItsFormulaForTheLayersAndMinibatchesThatItDraws) {
  struct Snapshot {
    Vector weights, full;
  };
  Plain plain;
  Network network(plain.network);
  StepRecorder recorder(network);
  Scheme scheme = preset("mrbcd-vr", 3);
  scheme.batches.size = plain.batch_size;
  scheme.updates.hidden = svrg({.rate = 0.2, .snapshot_every = 2});
  scheme.stopping = {.max_sweeps = sweep_limit};
  recorder.attach(scheme);
  train(network, plain.data, scheme, {.objective = {.l2 = penalty}, .seed = 4});

  const auto take = [&plain]() -> Snapshot {
    return {{plain.network.weights().begin(), plain.network.weights().end()}, plain.full_gradient()};
  };
  std::map<std::size_t, Snapshot> snapshots;
  std::set<std::size_t> batches;
  ASSERT_EQ(recorder.steps().size(), sweep_limit * plain.batches());
  for (const RecordedStep& step : recorder.steps()) {
    plain.batch = step.record.batch;
    batches.insert(plain.batch);
    const Block block = step.record.block;
    if (plain.step % (2 * plain.batches()) == 0)
      for (auto& [layer, snapshot] : snapshots) snapshot = take();
    ++plain.step;
    if (!snapshots.contains(block.first)) snapshots[block.first] = take();
    const Snapshot& snapshot = snapshots[block.first];
    const Vector here = plain.gradient(), there = plain.gradient(snapshot.weights);
    const auto own = plain.network.weights(block);
    for (std::size_t i = 0, at = network.offset(block); i < own.size(); ++i, ++at)
      own[i] -= 0.2 * (here[at] - there[at] + snapshot.full[at]);
    for (std::size_t i = 0; i < step.weights.size(); ++i)
      ASSERT_NEAR(step.weights[i], plain.network.weights()[i], 1e-11) << "step " << plain.step;
  }
  EXPECT_EQ(snapshots.size(), 3U);
  EXPECT_GT(batches.size(), 3U);
}

// f above its minimum after every sweep.
std::vector<double> gaps(const Scheme& scheme, Network network, const Dataset& data, double r,
                         double minimum) {
  std::vector<double> above;
  Scheme watched = scheme;
  watched.observers.sweep = [&](const SweepRecord& record) { above.push_back(record.value - minimum); };
  train(network, data, watched, {.objective = {.l2 = r}, .seed = 5});
  return above;
}

Scheme constant_steps(std::string_view name, double rate, std::size_t count) {
  Scheme scheme = preset(name, 2);
  scheme.batches.size = 10;
  scheme.step_size = {.rule = StepSize::Rule::constant, .first = rate};
  if (name == "mrbcd-vr") scheme.updates.hidden = svrg({.rate = rate});
  scheme.stopping = {.max_sweeps = count};
  return scheme;
}

// A linear network: strictly convex with one layer; with two layers of one neuron, strictly convex around the minimum,
// since the regulariser takes away the freedom to scale one layer up and the other down.
TEST(Mrbcd, HasAGeometricRateWithVarianceReductionAndAFloorWithout) {
  const Dataset data = smooth_data(100, 3);
  for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{}, std::vector<std::size_t>{1}}) {
    Network network =
        random_network({.inputs = 3, .hidden = hidden, .activation = Activation::linear, .bias = Bias::none});
    Scheme exact = whole_lbfgs();
    exact.updates.hidden = lbfgs({.solver = {.max_iterations = 1000}});
    exact.stopping = {.gradient_norm = 1e-13, .max_sweeps = 50};
    const double minimum = train(network, data, exact, {.objective = {.l2 = penalty}}).value;
    for (double& weight : network.weights()) weight += 0.1;

    constexpr std::size_t sweep_count = 400;
    const std::size_t stretch = hidden.empty() ? 10 : 40;
    const auto reduced = gaps(constant_steps("mrbcd-vr", 0.1, sweep_count), network, data, penalty, minimum);
    const auto plain = gaps(constant_steps("mrbcd", 0.1, sweep_count), network, data, penalty, minimum);
    std::size_t thirds = 0;  // stretches in each of which the gap falls to a third or less
    for (std::size_t k = stretch; k < sweep_count && reduced[k] > 1e-13; k += stretch, ++thirds)
      EXPECT_LT(reduced[k], reduced[k - stretch] / 3) << hidden.size() << " hidden layers, sweep " << k;
    EXPECT_GE(thirds, 3U);
    EXPECT_LT(reduced.back(), 1e-11);
    EXPECT_GT(plain.back(), 1e3 * 1e-11);
  }
}

// --- Known answers: linear models, whose minimum has a closed form. Steps along normalised gradients weigh the
// minibatches by 1 / ||G||, so their limit is that minimum only where all minibatches agree on it.

struct MethodCase {
  std::string name;
  Scheme scheme;
  double tolerance;         // of f above the minimum
  bool consistent = false;  // on targets that the model fits exactly, without regulariser
};
void PrintTo(const MethodCase& c, std::ostream* out) { *out << c.name; }

Scheme to_the_end_of(Scheme scheme, std::size_t count) {
  scheme.stopping = {.max_sweeps = count};
  scheme.reporting.every_sweeps = 0;  // the last point, not the best one
  return scheme;
}

Scheme with_steps(Scheme scheme, const StepSize& steps) {
  scheme.step_size = steps;
  return scheme;
}

Scheme fixed_saga() {
  Scheme scheme = preset("saga", 1);
  scheme.batches.size = 20;
  scheme.updates.hidden = saga({.rate = 0.1});
  return scheme;
}

std::vector<MethodCase> method_cases() {
  const StepSize fast_decay{.rule = StepSize::Rule::diminishing, .first = 0.5, .epsilon = 0.05};
  const StepSize constant{.rule = StepSize::Rule::constant, .first = 0.2};
  return {
      {"ig", to_the_end_of(with_steps(ig(20), fast_decay), 2000), 2e-6, true},
      {"bling", to_the_end_of(with_steps(bling(1, 20), fast_decay), 2000), 2e-6, true},
      {"sg", to_the_end_of(with_steps(sg(20), fast_decay), 2000), 2e-6, true},
      {"plain_gradient",
       to_the_end_of(with_steps(with_update("ig", gradient_step({.normalise = false}), 20), constant), 2000),
       1e-20, true},
      {"adam", to_the_end_of(with_update("adam", adam({.rate = 0.01, .cosine = true}), 20), 1000), 1e-8},
      {"adagrad", to_the_end_of(with_update("adagrad", adagrad({.rate = 0.3}), 20), 2000), 2e-5},
      {"svrg", to_the_end_of(with_update("svrg", svrg({.rate = 0.1}), 20), 1000), 1e-12},
      {"saga", to_the_end_of(fixed_saga(), 2000), 1e-12},
      {"mrbcd", to_the_end_of(with_steps(preset("mrbcd", 1, {{"batch", "20"}}), constant), 2000), 1e-20,
       true},
      {"mrbcd_vr", to_the_end_of(preset("mrbcd-vr", 1, {{"batch", "20"}, {"rate", "0.1"}}), 1000), 1e-12},
      {"elm", to_the_end_of(elm(), 1), 1e-14},
      {"two_block", to_the_end_of(two_block(20), 2), 1e-14},
  };
}

class EveryMethod : public testing::TestWithParam<MethodCase> {};

TEST_P(EveryMethod, ReachesTheMinimumOfALinearModel) {
  Dataset data = smooth_data(100, 3);
  if (GetParam().consistent)
    for (std::size_t p = 0; p < data.rows; ++p)
      data.y()(p, 0) = 0.3 - 0.7 * data.x(p, 0) + 0.4 * data.x(p, 1) + 0.2 * data.x(p, 2);
  const double r = GetParam().consistent ? 0 : penalty;
  Network network = random_network({.inputs = 3, .hidden = {}});
  const TrainingResult result = train(network, data, GetParam().scheme, {.objective = {.l2 = r}, .seed = 3});
  Vector features;
  const auto minimum = linear_minimum(feature_matrix(data, features), data.y(), r);
  EXPECT_NEAR(result.value, minimum.value, GetParam().tolerance);
  EXPECT_LT(distance(network.layer(0), minimum.weights),
            3 * std::sqrt(GetParam().tolerance / penalty) + 1e-12);
  EXPECT_EQ(result.refused, 0U);
}

INSTANTIATE_TEST_SUITE_P(Minibatch, EveryMethod, testing::ValuesIn(method_cases()),
                         [](const auto& instance) { return instance.param.name; });

// --- Refusals

std::string refusal_of(const UpdateRecipe& update, SelectionRecipe selection,
                       Partition partition = Partition::fixed) {
  const Plain plain;
  Network network(plain.network);
  Scheme scheme = with_update("case", update, 5);
  scheme.batches.partition = partition;
  scheme.selection = std::move(selection);
  scheme.stopping = {.max_sweeps = 1};
  try {
    train(network, plain.data, scheme);
  } catch (const InvalidOption& refusal) {
    return refusal.what();
  }
  return "nothing was refused";
}

TEST(Saga, IsRefusedWithANamedLimitWhenItsTableWouldNotFit) {
  const std::size_t bytes = 6 * Plain().network.size() * sizeof(double);
  const std::string refusal = refusal_of(saga({.memory_limit = bytes - 1}), whole_network());
  EXPECT_NE(refusal.find("saga.memory_limit"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find(std::to_string(bytes)), std::string::npos) << refusal;
  EXPECT_EQ(refusal_of(saga({.memory_limit = bytes}), whole_network()), "nothing was refused");
}

TEST(Saga, IsRefusedWhereABatchIndexDoesNotKeepItsRows) {
  EXPECT_NE(refusal_of(saga(), whole_network(), Partition::every_epoch).find("fixed partition"),
            std::string::npos);
}

TEST(Saga, IsRefusedForSingleLayers) {
  EXPECT_NE(refusal_of(saga(), backward_sweep()).find("whole_network"), std::string::npos);
}

TEST(Updates, RefuseOptionsOutOfRange) {
  const double nan = std::nan("");
  for (const UpdateRecipe& update :
       {gradient_step({.least = 0}), gradient_step({.most = -1}), gradient_step({.least = 1e6, .most = 1e-3}),
        adam({.rate = 0}), adam({.rate = nan}), adam({.beta1 = 1}), adam({.beta2 = -0.1}),
        adam({.epsilon = 0}), adagrad({.rate = -1}), adagrad({.epsilon = 0}), svrg({.rate = 0}),
        svrg({.snapshot_every = 0}), saga({.rate = nan})})
    EXPECT_NE(refusal_of(update, whole_network()), "nothing was refused");
}

}  // namespace
}  // namespace strata
