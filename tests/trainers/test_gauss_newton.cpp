#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <utility>

#include "strata/core/errors.h"
#include "strata/trainers/presets.h"
#include "support/networks.h"
#include "trainers/kronecker.h"

namespace strata {
namespace {

using testing_support::random_network;
using testing_support::smooth_data;

Eigen::MatrixXd random_moments(Eigen::Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Eigen::MatrixXd a(n, n);
  for (Eigen::Index i = 0; i < a.size(); ++i) a.data()[i] = random.uniform(-1, 1);
  return a * a.transpose();
}

ConstMatrix view(const Eigen::MatrixXd& symmetric) {
  const auto n = static_cast<std::size_t>(symmetric.rows());
  return {symmetric.data(), n, n};
}

TEST(KroneckerInverse, AppliesTheInversesOfTheDampedFactors) {
  for (const Eigen::Index inputs : {1, 3, 9})
    for (const Eigen::Index outputs : {1, 5, 8, 11}) {
      const Eigen::MatrixXd k = random_moments(inputs, 1);
      const Eigen::MatrixXd b = random_moments(outputs, 2);
      constexpr double mu = 0.04;
      KroneckerInverse inverse;
      const MomentParts all = one_part(static_cast<std::size_t>(inputs));
      inverse.prepare({&all, k.data()}, view(b), mu);
      RandomStream random(3);
      Vector r(static_cast<std::size_t>(inputs * outputs)), y(r.size());
      for (double& v : r) v = random.uniform(-1, 1);
      inverse(r, y);

      using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const double pi =
          std::sqrt((k.trace() / static_cast<double>(inputs)) / (b.trace() / static_cast<double>(outputs)));
      const Eigen::MatrixXd kd = k + pi * 0.2 * Eigen::MatrixXd::Identity(inputs, inputs);
      const Eigen::MatrixXd bd = b + 0.2 / pi * Eigen::MatrixXd::Identity(outputs, outputs);
      const RowMajor expected =
          kd.inverse() * Eigen::Map<const RowMajor>(r.data(), inputs, outputs) * bd.inverse();
      for (std::size_t i = 0; i < y.size(); ++i)
        EXPECT_NEAR(y[i], expected.data()[i], 1e-10 * expected.norm());
    }
}

// Rows 0 and 3 share a matrix, 1 and 4 another, 2 is by itself: as one matrix with zeros between them.
TEST(KroneckerInverse, TakesMomentsInParts) {
  const MomentParts parts{{{0, 3}, {1, 4}}, {2}};
  const Eigen::MatrixXd first = random_moments(2, 1);
  const Eigen::MatrixXd second = random_moments(2, 4);
  Vector moments(first.data(), first.data() + 4);
  moments.insert(moments.end(), second.data(), second.data() + 4);
  moments.push_back(0.7);
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(5, 5);
  for (Eigen::Index i = 0; i < 2; ++i)
    for (Eigen::Index j = 0; j < 2; ++j) {
      k(3 * i, 3 * j) = first(i, j);
      k(1 + 3 * i, 1 + 3 * j) = second(i, j);
    }
  k(2, 2) = 0.7;
  const Eigen::MatrixXd b = random_moments(3, 2);
  const MomentParts whole = one_part(5);
  KroneckerInverse in_parts, as_one;
  in_parts.prepare({&parts, moments.data()}, view(b), 0.04);
  as_one.prepare({&whole, k.data()}, view(b), 0.04);
  RandomStream random(3);
  Vector r(15), y(15), expected(15);
  for (double& x : r) x = random.uniform(-1, 1);
  in_parts(r, y);
  as_one(r, expected);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-12 * norm(expected));
}

// Rounding in single precision can make an eigenvalue of moments negative. With almost no damping, a ridge on the scale
// of that rounding still leaves a matrix that can be inverted.
TEST(KroneckerInverse, KeepsARidgeAboveTheRoundingOfMoments) {
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(6, 0.5, 1);
  Eigen::MatrixXd k = v * v.transpose();  // of rank one
  k.diagonal().array() -= 3e-8;
  const Eigen::MatrixXd b = random_moments(4, 2);
  KroneckerInverse inverse;
  const MomentParts all = one_part(6);
  inverse.prepare({&all, k.data()}, view(b), 1e-20);
  RandomStream random(3);
  Vector r(24), y(24);
  for (double& x : r) x = random.uniform(-1, 1);
  inverse(r, y);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd kd = k + 1e-7 * k.trace() / 6 * Eigen::MatrixXd::Identity(6, 6);
  const Eigen::MatrixXd bd = b + 1e-7 * b.trace() / 4 * Eigen::MatrixXd::Identity(4, 4);
  const RowMajor expected = kd.inverse() * Eigen::Map<const RowMajor>(r.data(), 6, 4) * bd.inverse();
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected.data()[i], 1e-3 * expected.norm());
}

// One visit with exact inner solves is the damped Gauss-Newton step of the dense matrix.
TEST(GaussNewtonUpdate, TakesTheDampedStepOfTheDenseMatrix) {
  const Dataset data = smooth_data(90, 3, 2);
  constexpr double l2 = 1e-4;
  constexpr double damping = 0.1;
  for (const Block block : {Block{0, 0}, Block{1, 1}, Block{2, 2}, Block{0, 1}, Block{0, 2}}) {
    Network network = random_network({.inputs = 3, .hidden = {4, 5}, .outputs = 2});
    const PackedRows rows(data);
    Objective objective(network, rows, {.l2 = l2});
    BlockObjective f = objective.open(block);
    const auto n = static_cast<Eigen::Index>(f.size());
    Eigen::MatrixXd hessian(n, n);
    Eigen::VectorXd gradient(n);
    const LocalModel model = f.model();
    std::ranges::copy(model.gradient(), gradient.data());
    for (Eigen::Index i = 0; i < n; ++i) {
      Vector v(f.size(), 0.0), hv(f.size());
      v[static_cast<std::size_t>(i)] = 1;
      model.times(v, hv);
      hessian.col(i) = Eigen::Map<const Eigen::VectorXd>(hv.data(), n);
    }
    hessian.diagonal().array() += damping;
    const Eigen::VectorXd expected =
        Eigen::Map<const Eigen::VectorXd>(network.weights(block).data(), n) - hessian.ldlt().solve(gradient);

    Scheme scheme = blgn();
    scheme.batches = whole_data();
    scheme.selection = given_order({block});
    scheme.acceptance = any_decrease();
    scheme.updates.hidden = gauss_newton({.solver = {.max_iterations = 500, .relative_tolerance = 1e-13},
                                          .joint_lbfgs = 0,
                                          .damping = damping});
    scheme.stopping = {.max_sweeps = 1};
    train(network, data, scheme, {.objective = {.l2 = l2}});
    for (Eigen::Index i = 0; i < n; ++i)
      EXPECT_NEAR(network.weights(block)[static_cast<std::size_t>(i)], expected(i), 1e-9)
          << "layers " << block.first << " to " << block.last;
  }
}

// Visits of the block on all rows, with exact inner solves.
void visit(Network& network, const Dataset& data, Block block, double damping, std::size_t times) {
  Scheme scheme = blgn();
  scheme.batches = whole_data();
  scheme.selection = given_order({block});
  scheme.acceptance = any_decrease();
  scheme.updates.hidden = gauss_newton({.solver = {.max_iterations = 500, .relative_tolerance = 1e-13},
                                        .joint_iterations = 500,
                                        .joint_lbfgs = 0,
                                        .damping = damping});
  scheme.stopping = {.max_sweeps = times};
  train(network, data, scheme, {.objective = {.l2 = 1e-4}});
}

// After a step that the model predicted well, lambda is divided by `change`; that of all layers by `after_refusal`.
TEST(GaussNewtonUpdate, LowersTheDampingOfAllLayersFaster) {
  const Dataset data = smooth_data(90, 3);
  for (const auto& [block, divisor] : {std::pair{Block{1, 1}, 1.5}, {Block{0, 1}, 1.5}, {Block{0, 2}, 4.0}}) {
    Network twice = random_network({.inputs = 3, .hidden = {4, 5}});
    Network restarted = twice;
    visit(twice, data, block, 1e-2, 2);
    visit(restarted, data, block, 1e-2, 1);
    visit(restarted, data, block, 1e-2 / divisor, 1);
    const auto weights = std::as_const(restarted).weights();
    for (std::size_t i = 0; i < weights.size(); ++i)
      EXPECT_NEAR(std::as_const(twice).weights()[i], weights[i], 1e-9)
          << "layers " << block.first << " to " << block.last;
  }
}

// What is taken from the weights of a layer along the first matrix: (A + pi sqrt(mu) I)^-1 G (B + sqrt(mu)/pi I)^-1.
Eigen::MatrixXd along_first_matrix(const LocalModel& model, std::size_t layer, const double* gradient,
                                   double mu) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const ConstMatrix outputs = model.sensitivity_moments(layer);
  const InputMoments inputs = model.input_moments(layer);
  const auto m = static_cast<Eigen::Index>(outputs.rows());
  const auto k = static_cast<Eigen::Index>(inputs.parts->dense.front().size());
  Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(inputs.values, k, k);
  Eigen::MatrixXd b = Eigen::Map<const Eigen::MatrixXd>(outputs.data(), m, m);
  const double pi = std::sqrt((a.trace() / static_cast<double>(k)) / (b.trace() / static_cast<double>(m)));
  a.diagonal().array() += pi * std::sqrt(mu);
  b.diagonal().array() += std::sqrt(mu) / pi;
  return a.inverse() * Eigen::Map<const RowMajor>(gradient, k, m) * b.inverse();
}

Scheme all_layers_on_all_rows(const GaussNewtonOptions& options, std::size_t layers, std::size_t sweeps) {
  Scheme scheme = blgn();
  scheme.batches = whole_data();
  scheme.selection = given_order({{0, layers - 1}});
  scheme.acceptance = any_decrease();
  scheme.updates.hidden = gauss_newton(options);
  scheme.stopping = {.max_sweeps = sweeps};
  return scheme;
}

// The first L-BFGS iteration goes along the dense first matrix, for losses with one output and with several.
TEST(GaussNewtonUpdate, TakesTheFirstStepOfAllLayersAlongTheKroneckerInverses) {
  constexpr double l2 = 1e-4;
  for (const std::size_t outputs : {1, 2}) {
    const Dataset data = smooth_data(90, 3, outputs);
    Network network = random_network({.inputs = 3, .hidden = {4, 5}, .outputs = outputs});
    const Vector before(network.weights().begin(), network.weights().end());
    Vector expected;
    {
      const PackedRows rows(data);
      Objective objective(network, rows, {.l2 = l2});
      BlockObjective f = objective.open(network.whole());
      const LocalModel model = f.model();
      for (std::size_t l = 0; l < network.layers(); ++l) {
        using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const RowMajor step = along_first_matrix(model, l, model.gradient().data() + network.offset({l, l}),
                                                 2 * l2 + 0.05 * model.value());
        expected.insert(expected.end(), step.data(), step.data() + step.size());
      }
    }
    train(network, data, all_layers_on_all_rows({.joint_lbfgs = 1, .joint_damping = 0.05}, 3, 1),
          {.objective = {.l2 = l2}});
    Vector moved(before);
    add_scaled(moved, -1, std::as_const(network).weights());
    const double length = dot(moved, expected) / squared_norm(expected);
    EXPECT_GT(length, 0.01);
    for (std::size_t i = 0; i < moved.size(); ++i)
      EXPECT_NEAR(moved[i], length * expected[i], 1e-9 * norm(moved)) << i;
  }
}

// Visits of one iteration: if the pairs of visits before were forgotten, their number would not matter.
TEST(GaussNewtonUpdate, KeepsThePairsOfAllLayersFromVisitToVisit) {
  const Dataset data = smooth_data(200, 3);
  const auto value_after = [&](std::size_t pairs, std::size_t visits) {
    Network network = random_network({.inputs = 3, .hidden = {4, 5}});
    return train(network, data, all_layers_on_all_rows({.joint_lbfgs = 1, .joint_pairs = pairs}, 3, visits),
                 {.objective = {.l2 = 1e-6}})
        .value;
  };
  EXPECT_EQ(value_after(4, 5), value_after(50, 5));  // there are no more than 4 yet
  EXPECT_NE(value_after(4, 6), value_after(50, 6));
}

// On minibatches all layers together still take the conjugate gradients' step.
TEST(GaussNewtonUpdate, LeavesMinibatchesToConjugateGradients) {
  const auto weights = [](int iterations) {
    const Dataset data = smooth_data(90, 3);
    Network network = random_network({.inputs = 3, .hidden = {4, 5}});
    Scheme scheme = all_layers_on_all_rows({.joint_lbfgs = iterations}, 3, 2);
    scheme.batches = {.size = 45};
    train(network, data, scheme);
    return Vector(network.weights().begin(), network.weights().end());
  };
  EXPECT_EQ(weights(0), weights(25));
}

// The record of the first visit of layer 1, on 32 of 90 rows.
StepRecord first_visit(const GaussNewtonOptions& options) {
  const Dataset data = smooth_data(90, 3);
  Network network = random_network({.inputs = 3, .hidden = {4, 5}});
  Scheme scheme = blgn(32);
  scheme.batches.partition = Partition::fixed;
  scheme.look_ahead = {};
  scheme.selection = given_order({{1, 1}});
  scheme.updates.hidden = gauss_newton(options);
  bool visited = false;
  StepRecord first;
  scheme.observers.step = [&](const StepRecord& step) {
    first = step;
    visited = true;
  };
  scheme.stopping = {.max_sweeps = 1, .interrupt = [&visited] { return visited; }};
  train(network, data, scheme);
  return first;
}

// On 32 of 90 rows lambda is at least kappa f (1/32 - 1/90): the same step as with that much damping asked for.
TEST(GaussNewtonUpdate, AllowsForTheNoiseOfAMinibatch) {
  constexpr double kappa = 40;
  const StepRecord noisy = first_visit({.damping = 1e-9, .noise_damping = kappa});
  const double lambda = kappa * noisy.before * (1.0 / 32 - 1.0 / 90);
  const StepRecord damped = first_visit({.damping = lambda, .noise_damping = 0});
  EXPECT_EQ(noisy.step_length, damped.step_length);
  EXPECT_GT(first_visit({.damping = 1e-9, .noise_damping = 0}).step_length, 1.01 * noisy.step_length);
}

TEST(GaussNewtonUpdate, StartsWithADampingOfAtMostTheObjective) {
  const StepRecord large = first_visit({.damping = 1e3, .noise_damping = 0});
  EXPECT_EQ(large.step_length, first_visit({.damping = large.before, .noise_damping = 0}).step_length);
  const StepRecord small = first_visit({.damping = large.before / 10, .noise_damping = 0});
  EXPECT_GT(small.step_length, 1.01 * large.step_length);
}

TEST(Blgn, GrowsItsBatchesToAllRowsAndEndsInTheBatchSchemeWithItsConditions) {
  const Dataset data = smooth_data(600, 3);
  Network network = random_network({.inputs = 3, .hidden = {8, 8}});
  Scheme scheme = blgn(64);
  scheme.batches.grow_below = 0.5;  // soon
  scheme.stopping = {.gradient_norm = 2e-5, .max_sweeps = 400};
  scheme.reporting.steps = true;
  const TrainingResult result = train(network, data, scheme, {.objective = {.l2 = 1e-6}, .seed = 3});
  EXPECT_EQ(result.reason, StopReason::gradient_tolerance) << result.message;
  EXPECT_LE(result.gradient_norm, 2e-5);
  EXPECT_EQ(result.history.front().batch_size, 64U);
  EXPECT_EQ(result.history.back().batch_size, 600U);
  std::size_t with_conditions = 0;
  double previous = std::numeric_limits<double>::infinity();
  for (const StepRecord& step : result.steps) {
    if (std::isnan(step.armijo)) continue;  // on a minibatch, or skipped
    ++with_conditions;
    if (!step.refused) {
      EXPECT_GE(step.margin_armijo, 0);
      EXPECT_GE(step.margin_forcing, 0);
    }
    EXPECT_LE(step.after, previous * (1 + 1e-12));
    previous = step.after;
  }
  EXPECT_GT(with_conditions, 10U);
}

TEST(Blgn, AsksLessOfAnEpochForEachDoublingOfItsBatches) {
  const Dataset data = smooth_data(3000, 3);
  Network network = random_network({.inputs = 3, .hidden = {8, 8}});
  Scheme scheme = blgn(32);
  scheme.batches.grow_below = 0.6;
  scheme.stopping = {.max_sweeps = 25};
  const TrainingResult result = train(network, data, scheme, {.objective = {.l2 = 1e-6}, .seed = 3});
  double previous = std::numeric_limits<double>::infinity();
  std::size_t doubled = 0, kept = 0;
  for (std::size_t i = 0; i + 1 < result.history.size(); ++i) {
    const SweepRecord& now = result.history[i];
    if (now.batch_size == data.rows) break;
    const double threshold = 0.6 * 32 / static_cast<double>(now.batch_size);
    const bool grows = now.mean_loss > (1 - threshold) * previous;
    EXPECT_EQ(result.history[i + 1].batch_size,
              grows ? std::min(2 * now.batch_size, data.rows) : now.batch_size);
    (grows ? doubled : kept) += 1;
    previous = now.mean_loss;
  }
  EXPECT_GT(doubled, 2U);
  EXPECT_GT(kept, 2U);
}

TEST(Blgn, GrowsItsBatchesInsideAnEpoch) {
  const Dataset data = smooth_data(3000, 3);
  const auto batch_sizes = [&](std::size_t grow_after) {
    Network network = random_network({.inputs = 3, .hidden = {8, 8}});
    Scheme scheme = blgn(16);
    scheme.batches.grow_after = grow_after;
    scheme.stopping = {.max_sweeps = 1};
    std::size_t rows = 0;
    scheme.observers.step = [&](const StepRecord& step) { rows = std::max(rows, step.batch); };
    const TrainingResult result = train(network, data, scheme, {.objective = {.l2 = 1e-6}, .seed = 3});
    return std::pair(result.history.back().batch_size, rows + 1);
  };
  EXPECT_EQ(batch_sizes(0), std::pair(std::size_t{16}, std::size_t{188}));  // judged at the end
  const auto [size, batches] = batch_sizes(256);
  EXPECT_GE(size, 64U);
  EXPECT_LT(batches, 100U);
  const auto [in_a_shorter_one, fewer] = batch_sizes(2000);  // judged after 500 rows
  EXPECT_GE(in_a_shorter_one, 32U);
  EXPECT_LT(fewer, 188U);
}

TEST(Blgn, ReportsTheValidationErrorInsideALongEpoch) {
  const Dataset data = smooth_data(3000, 3);
  const Dataset held_out = smooth_data(700, 3);
  Network network = random_network({.inputs = 3, .hidden = {8, 8}});
  Scheme scheme = blgn(4);
  scheme.batches.grow_below = 1e-9;
  scheme.batches.grow_after = 256;
  scheme.stopping = {.max_sweeps = 1};
  std::size_t told = 0;
  scheme.observers.sweep = [&](const SweepRecord&) { ++told; };
  const TrainingResult result = train(network, data, scheme, {.validation = {.data = &held_out}});
  ASSERT_EQ(result.history.size(), 4U);  // after 700, 1400 and 2100 rows; 200 would remain after 2800
  EXPECT_EQ(told, 4U);
  for (const SweepRecord& record : result.history) {
    EXPECT_TRUE(std::isfinite(record.validation_loss));
    EXPECT_TRUE(std::isfinite(record.mean_loss));
  }
  EXPECT_TRUE(std::isnan(result.history[2].value));  // that takes a pass over all rows
  EXPECT_TRUE(std::isfinite(result.history[3].value));
}

// Minibatches are computed in float32, and what a run reports of all rows is not; nor are visits on all of them.
TEST(Blgn, ReportsInDoublePrecisionWhateverItsMinibatchesAreIn) {
  const Dataset data = smooth_data(600, 3);
  const auto trained = [&](Precision precision, double grow_below) {
    Network network = random_network({.inputs = 3, .hidden = {8, 8}});
    Scheme scheme = blgn(64);
    scheme.batches.precision = precision;
    scheme.batches.grow_below = grow_below;
    scheme.stopping = {.max_sweeps = 12};
    const TrainingResult result = train(network, data, scheme, {.objective = {.l2 = 1e-6}, .seed = 3});
    const PackedRows rows(data);
    Objective exact(network, rows, {.l2 = 1e-6});
    EXPECT_NEAR(result.value, exact.value(), 1e-15);
    return result;
  };
  const TrainingResult single = trained(Precision::float32, 0);
  const TrainingResult twice = trained(Precision::float64, 0);
  EXPECT_NE(single.value, twice.value);
  EXPECT_NEAR(single.history[0].mean_loss, twice.history[0].mean_loss, 1e-5 * twice.history[0].mean_loss);
  EXPECT_EQ(trained(Precision::float32, 0.99).history.back().batch_size, 600U);
}

TEST(Blgn, RefusesToMeasureAllRowsInSinglePrecision) {
  const Dataset data = smooth_data(50, 3);
  Network network = random_network({.inputs = 3, .hidden = {4}});
  EXPECT_THROW(train(network, data, blgn(16), {.objective = {.precision = Precision::float32}}),
               InvalidOption);
}

TEST(Blgn, GivesTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = smooth_data(1000, 3);
  const auto weights = [&](std::size_t threads) {
    Network network = random_network({.inputs = 3, .hidden = {7, 6}});
    Scheme scheme = blgn(300);
    scheme.stopping = {.max_sweeps = 4};
    Engine engine({.threads = threads});
    train(network, data, scheme, {.objective = {.l2 = 1e-7}, .engine = &engine, .seed = 5});
    return Vector(network.weights().begin(), network.weights().end());
  };
  EXPECT_EQ(weights(1), weights(2));
  EXPECT_EQ(weights(1), weights(3));
}

TEST(Blgn, EndsWithTheSameBitsForAnyNumberOfThreadsInEitherPrecision) {
  const Dataset data = smooth_data(1000, 3);
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    std::size_t of_all_layers = 0;
    const auto weights = [&](std::size_t threads) {
      Network network = random_network({.inputs = 3, .hidden = {7, 6}});
      Scheme scheme = blgn(1000);
      scheme.batches.all_rows = precision;
      scheme.stopping = {.max_sweeps = 4};
      scheme.observers.step = [&](const StepRecord& step) { of_all_layers += step.block == Block{0, 2}; };
      Engine engine({.threads = threads});
      train(network, data, scheme, {.objective = {.l2 = 1e-7}, .engine = &engine, .seed = 5});
      return Vector(network.weights().begin(), network.weights().end());
    };
    const Vector expected = weights(1);
    EXPECT_GE(of_all_layers, 2U);
    EXPECT_EQ(weights(2), expected);
    EXPECT_EQ(weights(3), expected);
  }
}

TEST(GaussNewtonUpdate, RefusesBadOptions) {
  const Dataset data = smooth_data(50, 3);
  Network network = random_network({.inputs = 3, .hidden = {4, 4}});
  Scheme scheme = blgn(16);
  scheme.updates.hidden = gauss_newton({.damping = 0});
  EXPECT_THROW(train(network, data, scheme), InvalidOption);
}

}  // namespace
}  // namespace strata
