// Every loss against its definition, its derivatives against finite differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "strata/core/errors.h"
#include "strata/objective/objective.h"
#include "support/losses.h"

namespace strata {
namespace {

using testing::HasSubstr;
using testing_support::data_for;
using testing_support::gradient_error;
using testing_support::loss_cases;
using testing_support::LossCase;
using testing_support::network_for;

constexpr std::size_t columns = 8;  // of a panel
constexpr std::size_t samples = 5;  // the rest is padding

// Outputs, targets and weights of a few rows as panels; the padding holds what must not be looked at.
struct Panels {
  Panels(const LossCase& c, double scale, std::uint64_t seed = 3) {
    const Dataset data = data_for(c, samples);
    outputs = c.make()->outputs(c.targets);
    targets = c.targets;
    RandomStream random(seed);
    out.assign(outputs * columns, 1e300);
    target.assign(targets * columns, 1e300);
    weights.assign(columns, 0.0);
    for (std::size_t j = 0; j < samples; ++j) {
      for (std::size_t o = 0; o < outputs; ++o) out[o * columns + j] = random.uniform(-scale, scale);
      for (std::size_t m = 0; m < targets; ++m) target[m * columns + j] = data.y()(j, m);
      weights[j] = random.uniform(0.5, 2);
    }
  }
  [[nodiscard]] Matrix o() { return {out.data(), outputs, columns}; }
  [[nodiscard]] ConstMatrix y() const { return {target.data(), targets, columns}; }

  std::size_t outputs = 0, targets = 0;
  Vector out, target, weights;
};

class EveryLoss : public testing::TestWithParam<LossCase> {
 protected:
  std::unique_ptr<const Loss> loss_ = GetParam().make();
};

TEST_P(EveryLoss, HasTheDeltaOfItsValue) {
  Panels p(GetParam(), 2);
  Vector delta(p.out.size(), 7.0), ignored(delta.size());
  const double scale = 0.25;
  const double value =
      loss_->value_and_delta(p.o(), p.y(), p.weights, samples, scale, {delta.data(), p.outputs, columns});
  EXPECT_NEAR(value, loss_->value(p.o(), p.y(), p.weights, samples), 1e-14 * (1 + value));
  EXPECT_GE(value, 0);
  for (std::size_t o = 0; o < p.outputs; ++o)
    for (std::size_t j = 0; j < columns; ++j) {
      double& x = p.o()(o, j);
      const double keep = x;
      constexpr double step = 1e-6;
      x = keep + step;
      const double up = loss_->value(p.o(), p.y(), p.weights, samples);
      x = keep - step;
      const double down = loss_->value(p.o(), p.y(), p.weights, samples);
      x = keep;
      const double expected = j < samples ? scale * (up - down) / (2 * step) : 0;
      EXPECT_NEAR(delta[o * columns + j], expected, 1e-7) << "output " << o << ", sample " << j;
    }
}

TEST_P(EveryLoss, WithoutWeightsCountsAllRowsAlike) {
  Panels p(GetParam(), 2);
  const Vector ones(columns, 1.0);
  EXPECT_EQ(loss_->value(p.o(), p.y(), {}, samples), loss_->value(p.o(), p.y(), ones, samples));
}

// H, column by column; state as the loss wants it.
Vector times(const Loss& loss, Panels& p, std::size_t column, bool root) {
  Vector state(loss.curvature_rows(p.outputs) * columns), u(p.outputs * columns);
  const Matrix kept(state.data(), loss.curvature_rows(p.outputs), columns);
  loss.curvature(p.o(), p.y(), samples, kept);
  std::fill_n(u.begin() + static_cast<std::ptrdiff_t>(column * columns), columns, 1.0);
  if (root)
    loss.root_times(kept, samples, {u.data(), p.outputs, columns});
  else
    loss.curvature_times(kept, samples, {u.data(), p.outputs, columns});
  return u;
}

TEST_P(EveryLoss, HasARootOfItsCurvature) {
  Panels p(GetParam(), 2);
  std::vector<Vector> h, r;
  for (std::size_t k = 0; k < p.outputs; ++k) {
    h.push_back(times(*loss_, p, k, false));
    r.push_back(times(*loss_, p, k, true));
  }
  for (std::size_t a = 0; a < p.outputs; ++a)
    for (std::size_t b = 0; b < p.outputs; ++b)
      for (std::size_t j = 0; j < samples; ++j) {
        double product = 0;
        for (const Vector& column : r) product += column[a * columns + j] * column[b * columns + j];
        EXPECT_NEAR(h[a][b * columns + j], product, 1e-14);
      }
}

// The second derivative where it is positive definite; a parabola that touches the loss and lies above it otherwise.
TEST_P(EveryLoss, HasTheCurvatureOfItsDeltaOrOneThatLiesAbove) {
  Panels p(GetParam(), 2);
  const bool bends = GetParam().loss == "huber" || GetParam().loss == "quantile";
  for (std::size_t k = 0; k < p.outputs; ++k) {
    const Vector h = times(*loss_, p, k, false);
    Vector up(p.out.size()), down(p.out.size());
    constexpr double step = 1e-5;
    const auto delta_at = [&](double change, Vector& delta) {
      for (std::size_t j = 0; j < samples; ++j) p.o()(k, j) += change;
      loss_->value_and_delta(p.o(), p.y(), {}, samples, 1, {delta.data(), p.outputs, columns});
      for (std::size_t j = 0; j < samples; ++j) p.o()(k, j) -= change;
    };
    if (!bends) {
      delta_at(step, up);
      delta_at(-step, down);
      for (std::size_t o = 0; o < p.outputs; ++o)
        for (std::size_t j = 0; j < samples; ++j)
          EXPECT_NEAR(h[o * columns + j], (up[o * columns + j] - down[o * columns + j]) / (2 * step), 1e-8);
    } else if (k == 0) {  // quantiles: the base, which moves all of them; increments bend by themselves
      delta_at(0, up);
      for (const double change : {-3.0, -0.5, -0.1, 0.02, 0.3, 2.0})
        for (std::size_t j = 0; j < samples; ++j) {
          Vector only(columns, 0.0);
          only[j] = 1;
          const double before = loss_->value(p.o(), p.y(), only, samples);
          p.o()(0, j) += change;
          const double after = loss_->value(p.o(), p.y(), only, samples);
          p.o()(0, j) -= change;
          EXPECT_LE(after, before + up[j] * change + h[j] * change * change / 2 + 1e-12);
        }
    }
  }
}

TEST_P(EveryLoss, IsFiniteForHugeOutputs) {
  for (const double size : {50.0, 1e3, 1e4}) {
    Panels p(GetParam(), size);
    Vector delta(p.out.size());
    const double value =
        loss_->value_and_delta(p.o(), p.y(), p.weights, samples, 1, {delta.data(), p.outputs, columns});
    EXPECT_TRUE(std::isfinite(value)) << size;
    EXPECT_TRUE(all_finite(delta)) << size;
    for (std::size_t k = 0; k < p.outputs; ++k) {
      EXPECT_TRUE(all_finite(times(*loss_, p, k, false))) << size;
      EXPECT_TRUE(all_finite(times(*loss_, p, k, true))) << size;
    }
    for (std::size_t j = 0; j < samples; ++j) {
      Vector row(p.outputs);
      for (std::size_t o = 0; o < p.outputs; ++o) row[o] = p.o()(o, j);
      loss_->link(row);
      EXPECT_TRUE(all_finite(row)) << size;
    }
  }
}

double mean_of_constant(const Loss& loss, const Dataset& data, const Vector& constant) {
  double sum = 0;
  for (std::size_t row = 0; row < data.rows; ++row)
    sum += data.weights[row] * loss.value({constant.data(), constant.size(), 1},
                                          {data.y().row(row).data(), data.outputs, 1}, {}, 1);
  return sum / static_cast<double>(data.rows);
}

// Up to what is added so that no probability is 0, and to the width over which quantiles are smoothed.
TEST_P(EveryLoss, KnowsAConstantThatNoOtherBeatsByMuch) {
  Dataset data = data_for(GetParam(), 400);
  data.weights = testing_support::random_weights(400);
  Vector best(loss_->outputs(data.outputs));
  loss_->best_constant(data.y(), data.weights, best);
  const double value = mean_of_constant(*loss_, data, best);
  for (std::size_t k = 0; k < best.size(); ++k)
    for (const double change : {-1.0, -0.2, 0.2, 1.0}) {
      Vector other = best;
      other[k] += change;
      EXPECT_GT(mean_of_constant(*loss_, data, other), value * (GetParam().loss == "quantile" ? 0.97 : 1))
          << k << " " << change;
    }
}

TEST_P(EveryLoss, IsNamedWithItsOptions) {
  EXPECT_EQ(loss_->text().substr(0, GetParam().loss.size()), GetParam().loss);
  EXPECT_EQ(loss_->text(), GetParam().make()->text());
}

TEST_P(EveryLoss, TargetsOfItsKindAreAccepted) {
  const Dataset data = data_for(GetParam(), 300);
  EXPECT_NO_THROW(loss_->check_targets(data.y(), 0));
}

// The table of gradients: every loss x activation x bias x block.
TEST_P(EveryLoss, GradientOfEachBlockMatchesFiniteDifferences) {
  for (const Activation g : {Activation::sigmoid, Activation::tanh, Activation::relu, Activation::leaky_relu,
                             Activation::elu, Activation::softplus, Activation::silu, Activation::gaussian})
    for (const Bias bias : {Bias::none, Bias::input, Bias::per_layer}) {
      Dataset data = data_for(GetParam(), 37);
      data.weights = testing_support::random_weights(37);
      Network network = network_for(GetParam(), {5, 4}, {.activation = g, .bias = bias});
      const PackedRows rows(data);
      Objective objective(network, rows, {.l2 = 1e-3, .loss = loss_.get()});
      for (const Block block : {Block{0, 0}, Block{1, 1}, Block{2, 2}, Block{0, 1}, Block{0, 2}}) {
        BlockObjective f = objective.open(block);
        EXPECT_LT(gradient_error(f, network.weights(block)), 1e-6)
            << to_string(g) << " " << to_string(bias) << " layers " << block.first << ".." << block.last;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Loss, EveryLoss, testing::ValuesIn(loss_cases()),
                         [](const auto& instance) { return instance.param.name; });

// --- One row against the textbook's formula

double of_row(std::string_view name, const LossOptions& options, Vector out, double target) {
  return make_loss(name, options)->value({out.data(), out.size(), 1}, {&target, 1, 1}, {}, 1);
}

TEST(Loss, OfARowIsWhatItsNameSays) {
  EXPECT_DOUBLE_EQ(of_row("squared", {}, {1.5}, 1), 0.25);
  EXPECT_DOUBLE_EQ(of_row("huber", {.delta = 0.5}, {1.25}, 1), 0.0625);
  EXPECT_DOUBLE_EQ(of_row("huber", {.delta = 0.5}, {4}, 1), 2 * 0.5 * 3 - 0.25);
  EXPECT_NEAR(of_row("quantile", {.levels = {0.9}, .width = 1e-9}, {1}, 3), 0.9 * 2, 1e-8);
  EXPECT_NEAR(of_row("quantile", {.levels = {0.9}, .width = 1e-9}, {1}, -3), 0.1 * 4, 1e-8);
  EXPECT_NEAR(of_row("poisson", {}, {std::log(2.0)}, 3), 2 - 3 * std::log(2.0) - 3 + 3 * std::log(3.0),
              1e-15);
  EXPECT_NEAR(of_row("poisson", {}, {-1}, 0), std::exp(-1.0), 1e-15);
  EXPECT_NEAR(of_row("logistic", {}, {0.3}, 1), std::log(1 + std::exp(-0.3)), 1e-15);
  EXPECT_NEAR(of_row("logistic", {}, {0.3}, 0), std::log(1 + std::exp(0.3)), 1e-15);
  EXPECT_NEAR(of_row("softmax", {.classes = 3}, {1, 2, 4}, 1),
              std::log(std::exp(1.0) + std::exp(2.0) + std::exp(4.0)) - 2, 1e-15);
}

TEST(Loss, LinksOutputsToWhatIsPredicted) {
  const auto linked = [](std::string_view name, const LossOptions& options, Vector row) {
    make_loss(name, options)->link(row);
    return row;
  };
  EXPECT_EQ(linked("squared", {}, {1, 2}), (Vector{1, 2}));
  EXPECT_EQ(linked("huber", {}, {1, 2}), (Vector{1, 2}));
  EXPECT_NEAR(linked("poisson", {}, {std::log(7.0)})[0], 7, 1e-14);
  EXPECT_NEAR(linked("logistic", {}, {std::log(3.0)})[0], 0.75, 1e-15);
  const Vector p = linked("softmax", {.classes = 3}, {0, std::log(2.0), 0});
  EXPECT_NEAR(p[0], 0.25, 1e-15);
  EXPECT_NEAR(p[1], 0.5, 1e-15);
  EXPECT_NEAR(p[2], 0.25, 1e-15);
}

TEST(Loss, SeveralQuantilesNeverCross) {
  const auto loss = make_loss("quantile", {.levels = {0.1, 0.5, 0.9}});
  RandomStream random(4);
  for (int i = 0; i < 100; ++i) {
    Vector row(6);  // two targets
    for (double& out : row) out = random.uniform(-20, 20);
    loss->link(row);
    EXPECT_TRUE(row[0] <= row[1] && row[1] <= row[2] && row[3] <= row[4] && row[4] <= row[5]);
  }
}

TEST(Loss, NeedsOutputsOfItsOwnNumber) {
  EXPECT_EQ(make_loss("squared")->outputs(3), 3U);
  EXPECT_EQ(make_loss("quantile", {.levels = {0.1, 0.9}})->outputs(3), 6U);
  EXPECT_EQ(make_loss("logistic")->outputs(1), 1U);
  EXPECT_EQ(make_loss("softmax", {.classes = 7})->outputs(1), 7U);
}

// --- Refusals

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InvalidOption& refused) {
    return refused.what();
  }
  return "not refused";
}

TEST(Loss, RefusesTargetsWithRowAndValue) {
  const auto refused = [](std::string_view name, std::vector<double> targets) {
    const auto loss = make_loss(name, {.classes = 3});
    return refusal([&] { loss->check_targets({targets.data(), targets.size(), 1}, 10); });
  };
  EXPECT_EQ(refused("poisson", {3, 0, -1.5}),
            "option 'target' = '-1.5': the poisson loss needs targets of 0 or more; change or remove row 13");
  EXPECT_EQ(refused("logistic", {0, 2}),
            "option 'target' = '2': the logistic loss needs targets 0 and 1; change or remove row 12");
  EXPECT_EQ(refused("softmax", {0, 1, 3}),
            "option 'target' = '3': the softmax loss needs class codes from 0 to 2; change or remove row 13");
  EXPECT_THAT(refused("softmax", {0.5}), HasSubstr("row 11"));
  EXPECT_THAT(refused("softmax", {-1}), HasSubstr("row 11"));
  EXPECT_EQ(refused("squared", {-1e9}), "not refused");
}

TEST(Loss, RefusesWhatItCannotBeMadeFrom) {
  EXPECT_THAT(
      refusal([] { make_loss("absolute"); }),
      HasSubstr("use squared, huber, quantile or poisson for numbers, logistic or softmax for classes"));
  EXPECT_THAT(refusal([] { make_loss("huber", {.delta = 0}); }), HasSubstr("'delta' = '0'"));
  EXPECT_THAT(refusal([] { make_loss("quantile", {.levels = {}}); }), HasSubstr("'levels'"));
  EXPECT_THAT(refusal([] { make_loss("quantile", {.levels = {0.5, 0.5}}); }), HasSubstr("'0.5, 0.5'"));
  EXPECT_THAT(refusal([] { make_loss("quantile", {.levels = {0.5, 1}}); }), HasSubstr("between 0 and 1"));
  EXPECT_THAT(refusal([] { make_loss("quantile", {.width = 0}); }), HasSubstr("'width'"));
  EXPECT_THAT(refusal([] { make_loss("softmax", {.classes = 1}); }), HasSubstr("two classes or more"));
  EXPECT_THAT(refusal([] { (void)make_loss("logistic")->outputs(2); }), HasSubstr("one column"));
  EXPECT_THAT(refusal([] { (void)make_loss("softmax")->outputs(2); }), HasSubstr("one column"));
}

TEST(Loss, RefusesANetworkWithAnotherNumberOfOutputs) {
  const auto loss = make_loss("softmax", {.classes = 4});
  const PackedRows rows(testing_support::smooth_data(5, 2));
  Network network({.inputs = 2, .hidden = {3}, .outputs = 3});
  EXPECT_THAT(refusal([&] { Objective(network, rows, {.loss = loss.get()}); }),
              HasSubstr("the loss softmax(classes=4) needs 4"));
}

}  // namespace
}  // namespace strata
