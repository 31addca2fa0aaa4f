// Every fast kernel against its plain twin: every instruction set this CPU has, odd sizes, tails, strides.
#include "kernels/kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "strata/core/errors.h"
#include "strata/core/random.h"
#include "strata/core/vector.h"

namespace strata {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

struct Panel {  // rows x columns with a chosen stride and a misaligned start; what lies between is poisoned
  Panel(std::size_t rows, std::size_t columns, std::size_t padding, std::size_t offset)
      : storage(rows * (columns + padding) + offset, std::numeric_limits<double>::quiet_NaN()),
        view(storage.data() + offset, rows, columns, columns + padding) {}
  Vector storage;
  Matrix view;
};

void fill(Matrix m, RandomStream& random, double scale) {
  for (std::size_t r = 0; r < m.rows(); ++r)
    for (double& x : m.row(r)) x = random.uniform(-scale, scale);
}

// Largest difference in units of `unit`; NaN counts as infinitely far.
double distance(ConstMatrix a, ConstMatrix b, double unit) {
  double worst = 0;
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::size_t c = 0; c < a.columns(); ++c) {
      const double d = std::abs(a(r, c) - b(r, c)) / unit;
      worst = std::isnan(d) ? std::numeric_limits<double>::infinity() : std::max(worst, d);
    }
  return worst;
}

// All that one layer does, by one set of kernels.
struct LayerRun {
  LayerRun(const Kernels& kernels, Activation g, ConstMatrix w, ConstMatrix in, ConstMatrix delta,
           std::size_t inputs)
      : z(w.columns(), in.columns(), 3, 1),
        slope(w.columns(), in.columns(), 5, 2),
        back(inputs, in.columns(), 8, 0),
        gradient(w.rows(), w.columns(), 1, 1) {
    kernels.affine(g, w, in, z.view, slope.view);
    // The derivative of the layer's own inputs is not what matters here: any z of the right shape will do.
    Panel z_in(inputs, in.columns(), 0, 0);
    Panel slope_in(inputs, in.columns(), 0, 0);
    RandomStream random(99);
    fill(z_in.view, random, 0.9);
    fill(slope_in.view, random, 0.9);
    kernels.backward(g, w, delta, z_in.view, slope_in.view, back.view);
    for (std::size_t r = 0; r < gradient.view.rows(); ++r)
      for (double& x : gradient.view.row(r)) x = 0.25;  // must be added to, not overwritten
    kernels.weight_gradient(in, delta, gradient.view);
  }
  Panel z, slope, back, gradient;
};

class EveryTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

constexpr Activation activations[] = {Activation::linear,   Activation::sigmoid,    Activation::tanh,
                                      Activation::relu,     Activation::leaky_relu, Activation::elu,
                                      Activation::softplus, Activation::silu};

TEST_P(EveryTarget, AgreesWithThePlainTwinForEverySizeAndActivation) {
  RandomStream random(1);
  for (const Activation g : activations)
    for (const std::size_t fan_in : {1, 2, 5, 13, 51})
      for (const std::size_t fan_out : {1, 2, 3, 4, 6, 7, 50})
        for (const std::size_t samples : {8, 16, 24, 40, 128, 136}) {
          SCOPED_TRACE(testing::Message()
                       << to_string(g) << " " << fan_in << "x" << fan_out << " " << samples);
          Panel w(fan_in, fan_out, 0, 1);
          Panel in(fan_in, samples, 8, 3);
          Panel delta(fan_out, samples, 4, 1);
          fill(w.view, random, 1);
          fill(in.view, random, 2);
          fill(delta.view, random, 1);
          const std::size_t inputs = fan_in > 1 ? fan_in - 1 : 1;  // the last row stands for a bias
          const LayerRun plain(reference_kernels(), g, w.view, in.view, delta.view, inputs);
          const LayerRun fast(simd_kernels(), g, w.view, in.view, delta.view, inputs);
          const double unit = epsilon * 2 * static_cast<double>(fan_in + 4);
          EXPECT_LE(distance(fast.z.view, plain.z.view, unit), 4);
          EXPECT_LE(stores_slope(g) ? distance(fast.slope.view, plain.slope.view, unit) : 0, 4);
          EXPECT_LE(distance(fast.back.view, plain.back.view, epsilon * static_cast<double>(fan_out + 4)), 4);
          EXPECT_LE(
              distance(fast.gradient.view, plain.gradient.view, epsilon * 2 * static_cast<double>(samples)),
              4);
        }
}

TEST_P(EveryTarget, ActivationsAreAccurateOverTheirWholeRange) {
  Panel w(1, 1, 0, 0);
  w.view(0, 0) = 1;
  for (const Activation g : activations) {
    Panel in(1, 4000, 0, 0);
    for (std::size_t j = 0; j < 4000; ++j) in.view(0, j) = (static_cast<double>(j) - 2000) * 0.02;
    Panel plain(1, 4000, 0, 0), fast(1, 4000, 0, 0), slope_plain(1, 4000, 0, 0), slope_fast(1, 4000, 0, 0);
    reference_kernels().affine(g, w.view, in.view, plain.view, slope_plain.view);
    simd_kernels().affine(g, w.view, in.view, fast.view, slope_fast.view);
    for (std::size_t j = 0; j < 4000; ++j)
      ASSERT_NEAR(fast.view(0, j), plain.view(0, j), 4e-15 * std::abs(plain.view(0, j)) + 1e-300)
          << to_string(g) << " at " << in.view(0, j);
  }
}

TEST_P(EveryTarget, ExtremeAndNonFiniteInputsDoNotTurnIntoOrdinaryNumbers) {
  Panel w(1, 1, 0, 0);
  w.view(0, 0) = 1;
  Panel in(1, 8, 0, 0), out(1, 8, 0, 0), slope(1, 8, 0, 0);
  const double inputs[] = {-1e6, 1e6, -710, 710, std::nan(""), -40, 40, 0};
  for (std::size_t j = 0; j < 8; ++j) in.view(0, j) = inputs[j];
  simd_kernels().affine(Activation::sigmoid, w.view, in.view, out.view, slope.view);
  EXPECT_NEAR(out.view(0, 0), 0, 1e-300);
  EXPECT_EQ(out.view(0, 1), 1);
  EXPECT_NEAR(out.view(0, 2), 0, 1e-300);
  EXPECT_EQ(out.view(0, 3), 1);
  EXPECT_TRUE(std::isnan(out.view(0, 4)));
  EXPECT_EQ(out.view(0, 7), 0.5);
}

TEST_P(EveryTarget, ToleranceRejectsOneFlippedSign) {
  RandomStream random(5);
  Panel w(50, 50, 0, 0), in(50, 128, 0, 0), delta(50, 128, 0, 0);
  fill(w.view, random, 1);
  fill(in.view, random, 2);
  fill(delta.view, random, 1);
  const LayerRun plain(reference_kernels(), Activation::sigmoid, w.view, in.view, delta.view, 50);
  w.view(31, 17) = -w.view(31, 17);
  const LayerRun wrong(simd_kernels(), Activation::sigmoid, w.view, in.view, delta.view, 50);
  EXPECT_GT(distance(wrong.z.view, plain.z.view, epsilon * 108), 4);
  EXPECT_GT(distance(wrong.back.view, plain.back.view, epsilon * 54), 4);
}

std::vector<std::int64_t> targets_to_test() {
  std::vector<std::int64_t> targets;
  for (const std::int64_t target : {HWY_SSE4, HWY_AVX2, HWY_AVX3, HWY_NEON, HWY_SCALAR, HWY_EMU128})
    if ((hwy::SupportedTargets() & target) != 0 && (HWY_TARGETS & target) != 0) targets.push_back(target);
  return targets;
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryTarget, testing::ValuesIn(targets_to_test()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

TEST(Activation, NamesGoBothWaysAndUnknownOnesAreRefused) {
  for (const Activation g : activations) EXPECT_EQ(activation_from(to_string(g)), g);
  EXPECT_THROW(activation_from("sigmod"), InvalidOption);
}

}  // namespace
}  // namespace strata
