// Every fast kernel against its plain twin: every instruction set this CPU has, odd sizes, tails, strides.
#include "kernels/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "strata/core/errors.h"
#include "strata/core/random.h"
#include "strata/core/vector.h"
#include "support/instruction_sets.h"

namespace strata {
namespace {

template <class T>
constexpr double epsilon = std::numeric_limits<T>::epsilon();

template <class T = double>
struct Panel {  // rows x columns with a chosen stride and a misaligned start; what lies between is poisoned
  Panel(std::size_t rows, std::size_t columns, std::size_t padding, std::size_t offset)
      : storage(rows * (columns + padding) + offset, std::numeric_limits<T>::quiet_NaN()),
        view(storage.data() + offset, rows, columns, columns + padding) {}
  VectorOf<T> storage;
  MatrixView<T> view;
};

template <class T>
void fill(MatrixView<T> m, RandomStream& random, double scale) {
  for (std::size_t r = 0; r < m.rows(); ++r)
    for (T& x : m.row(r)) x = static_cast<T>(random.uniform(-scale, scale));
}

// Largest difference in units of `unit`; NaN counts as infinitely far.
template <class T>
double distance(MatrixView<T> a, MatrixView<T> b, double unit) {
  double worst = 0;
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::size_t c = 0; c < a.columns(); ++c) {
      const double d = std::abs(double{a(r, c)} - double{b(r, c)}) / unit;
      worst = std::isnan(d) ? std::numeric_limits<double>::infinity() : std::max(worst, d);
    }
  return worst;
}

// All that one layer does, by one set of kernels.
template <class T>
struct LayerRun {
  LayerRun(const Kernels<T>& kernels, Activation g, MatrixView<T> w, MatrixView<T> in, MatrixView<T> delta,
           std::size_t inputs)
      : z(w.columns(), in.columns(), 3, 1),
        slope(w.columns(), in.columns(), 5, 2),
        back(inputs, in.columns(), 8, 0),
        gradient(w.rows(), w.columns(), 1, 1) {
    kernels.affine(g, w, in, z.view, slope.view);
    // The derivative of the layer's own inputs is not what matters here: any z of the right shape will do.
    Panel<T> z_in(inputs, in.columns(), 0, 0);
    Panel<T> slope_in(inputs, in.columns(), 0, 0);
    RandomStream random(99);
    fill(z_in.view, random, 0.9);
    fill(slope_in.view, random, 0.9);
    kernels.backward(g, w, delta, z_in.view, slope_in.view, back.view);
    for (std::size_t r = 0; r < gradient.view.rows(); ++r)
      for (double& x : gradient.view.row(r)) x = 0.25;  // must be added to, not overwritten
    kernels.weight_gradient(in, delta, gradient.view);
  }
  Panel<T> z, slope, back;
  Panel<> gradient;
};

class EveryTarget : public testing_support::EveryInstructionSet {};

constexpr Activation activations[] = {Activation::linear,   Activation::sigmoid,    Activation::tanh,
                                      Activation::relu,     Activation::leaky_relu, Activation::elu,
                                      Activation::softplus, Activation::silu};

template <class T>
void expect_agreement_for_every_size_and_activation() {
  RandomStream random(1);
  for (const Activation g : activations)
    for (const std::size_t fan_in : {1, 2, 5, 13, 51})
      for (const std::size_t fan_out : {1, 2, 3, 4, 6, 7, 50})
        for (const std::size_t vectors : {1, 2, 3, 5, 16, 17}) {
          const std::size_t samples = vectors * panel_quantum<T>;
          SCOPED_TRACE(testing::Message()
                       << to_string(g) << " " << fan_in << "x" << fan_out << " " << samples);
          Panel<T> w(fan_in, fan_out, 0, 1);
          Panel<T> in(fan_in, samples, 8, 3);
          Panel<T> delta(fan_out, samples, 4, 1);
          fill(w.view, random, 1);
          fill(in.view, random, 2);
          fill(delta.view, random, 1);
          const std::size_t inputs = fan_in > 1 ? fan_in - 1 : 1;  // the last row stands for a bias
          const LayerRun<T> plain(reference_kernels<T>(), g, w.view, in.view, delta.view, inputs);
          const LayerRun<T> fast(simd_kernels<T>(), g, w.view, in.view, delta.view, inputs);
          const double unit = epsilon<T> * 2 * static_cast<double>(fan_in + 4);
          EXPECT_LE(distance(fast.z.view, plain.z.view, unit), 4);
          EXPECT_LE(stores_slope(g) ? distance(fast.slope.view, plain.slope.view, unit) : 0, 4);
          EXPECT_LE(distance(fast.back.view, plain.back.view, epsilon<T> * static_cast<double>(fan_out + 4)),
                    4);
          EXPECT_LE(distance(fast.gradient.view, plain.gradient.view,
                             epsilon<T> * 2 * static_cast<double>(samples)),
                    4);
        }
}

TEST_P(EveryTarget, AgreesWithThePlainTwinForEverySizeAndActivation) {
  expect_agreement_for_every_size_and_activation<double>();
  expect_agreement_for_every_size_and_activation<float>();
}

template <class T>
void expect_agreement_of_column_operations() {
  RandomStream random(2);
  for (const std::size_t rows : {1, 2, 3, 50})
    for (const std::size_t vectors : {1, 3, 17}) {
      const std::size_t samples = vectors * panel_quantum<T>;
      Panel<T> a(rows, samples, 8, 1), b(rows, samples, 3, 0), plain(rows, samples, 0, 0),
          fast(rows, samples, 5, 3);
      fill(a.view, random, 1);
      fill(b.view, random, 1);
      VectorOf<T> dots_plain(samples), dots_fast(samples);
      reference_kernels<T>().column_dots(a.view, b.view, dots_plain.data());
      simd_kernels<T>().column_dots(a.view, b.view, dots_fast.data());
      for (std::size_t j = 0; j < samples; ++j)
        EXPECT_NEAR(dots_fast[j], dots_plain[j], 4 * epsilon<T> * static_cast<double>(rows));
      for (const bool add : {false, true}) {
        reference_kernels<T>().scale_columns(a.view, dots_plain.data(), add, plain.view);
        simd_kernels<T>().scale_columns(a.view, dots_plain.data(), add, fast.view);
        EXPECT_LE(distance(fast.view, plain.view, epsilon<T> * static_cast<double>(rows)), 4);
      }
    }
}

// The fast version has the bits of the product it saves half of.
template <class T>
void expect_upper_products_to_be_those_of_the_whole() {
  RandomStream random(3);
  for (const std::size_t rows : {1, 2, 5, 13, 51})
    for (const std::size_t vectors : {1, 3, 8, 17}) {
      Panel<T> z(rows, vectors * panel_quantum<T>, 8, 1);
      Panel<> whole(rows, rows, 1, 0), upper(rows, rows, 0, 1), plain(rows, rows, 2, 0);
      fill(z.view, random, 1);
      for (const Panel<>* sums : {&whole, &upper, &plain})
        for (std::size_t r = 0; r < rows; ++r)
          for (double& x : sums->view.row(r)) x = 0.25;
      simd_kernels<T>().weight_gradient(z.view, z.view, whole.view);
      simd_kernels<T>().upper_products(z.view, upper.view);
      reference_kernels<T>().upper_products(z.view, plain.view);
      const auto samples = static_cast<double>(z.view.columns());
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = r; c < rows; ++c) {
          EXPECT_EQ(upper.view(r, c), whole.view(r, c));
          EXPECT_NEAR(upper.view(r, c), plain.view(r, c), 4 * epsilon<T> * samples);
        }
    }
}

TEST_P(EveryTarget, UpperProductsAreThoseOfTheWhole) {
  expect_upper_products_to_be_those_of_the_whole<double>();
  expect_upper_products_to_be_those_of_the_whole<float>();
}

TEST_P(EveryTarget, ColumnOperationsAgreeWithTheirPlainTwins) {
  expect_agreement_of_column_operations<double>();
  expect_agreement_of_column_operations<float>();
}

template <class T>
void expect_accurate_activations() {
  Panel<T> w(1, 1, 0, 0);
  w.view(0, 0) = 1;
  for (const ActivationInfo& info : strata::activations()) {  // radial ones too
    const Activation g = info.activation;
    Panel<T> in(1, 4000, 0, 0);
    for (std::size_t j = 0; j < 4000; ++j)
      in.view(0, j) = static_cast<T>((static_cast<double>(j) - 2000) * 0.02);
    Panel<T> plain(1, 4000, 0, 0), fast(1, 4000, 0, 0), slope_plain(1, 4000, 0, 0), slope_fast(1, 4000, 0, 0);
    reference_kernels<T>().affine(g, w.view, in.view, plain.view, slope_plain.view);
    simd_kernels<T>().affine(g, w.view, in.view, fast.view, slope_fast.view);
    for (std::size_t j = 0; j < 4000; ++j)
      ASSERT_NEAR(fast.view(0, j), plain.view(0, j), 18 * epsilon<T> * std::abs(plain.view(0, j)) + 1e-300)
          << to_string(g) << " at " << in.view(0, j);
  }
}

TEST_P(EveryTarget, ActivationsAreAccurateOverTheirWholeRange) {
  expect_accurate_activations<double>();
  expect_accurate_activations<float>();
}

TEST_P(EveryTarget, ExtremeAndNonFiniteInputsDoNotTurnIntoOrdinaryNumbers) {
  Panel<> w(1, 1, 0, 0);
  w.view(0, 0) = 1;
  Panel<> in(1, 8, 0, 0), out(1, 8, 0, 0), slope(1, 8, 0, 0);
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

TEST_P(EveryTarget, ExtremeInputsInSinglePrecisionDoNotTurnIntoOrdinaryNumbers) {
  Panel<float> w(1, 1, 0, 0), in(1, 16, 0, 0), out(1, 16, 0, 0), slope(1, 16, 0, 0);
  w.view(0, 0) = 1;
  RandomStream random(1);
  fill(in.view, random, 1);
  in.view(0, 0) = -1e6F;
  in.view(0, 1) = 1e6F;
  in.view(0, 2) = std::nanf("");
  in.view(0, 3) = 0;
  simd_kernels<float>().affine(Activation::sigmoid, w.view, in.view, out.view, slope.view);
  EXPECT_NEAR(out.view(0, 0), 0, 1e-37);
  EXPECT_EQ(out.view(0, 1), 1);
  EXPECT_TRUE(std::isnan(out.view(0, 2)));
  EXPECT_EQ(out.view(0, 3), 0.5);
}

TEST_P(EveryTarget, ToleranceRejectsOneFlippedSign) {
  RandomStream random(5);
  Panel<> w(50, 50, 0, 0), in(50, 128, 0, 0), delta(50, 128, 0, 0);
  fill(w.view, random, 1);
  fill(in.view, random, 2);
  fill(delta.view, random, 1);
  const LayerRun<double> plain(reference_kernels(), Activation::sigmoid, w.view, in.view, delta.view, 50);
  w.view(31, 17) = -w.view(31, 17);
  const LayerRun<double> wrong(simd_kernels(), Activation::sigmoid, w.view, in.view, delta.view, 50);
  EXPECT_GT(distance(wrong.z.view, plain.z.view, epsilon<double> * 108), 4);
  EXPECT_GT(distance(wrong.back.view, plain.back.view, epsilon<double> * 54), 4);
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryTarget, testing::ValuesIn(testing_support::instruction_sets()),
                         testing_support::name_of_instruction_set);

}  // namespace
}  // namespace strata
