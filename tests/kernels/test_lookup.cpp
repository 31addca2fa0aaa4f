// Lookups against their plain twins: every instruction set this CPU has, odd sizes, tails, strides.
#include "kernels/lookup.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/panel.h"
#include "strata/core/random.h"
#include "strata/core/vector.h"
#include "support/instruction_sets.h"

namespace strata {
namespace {

class EveryLookupTarget : public testing_support::EveryInstructionSet {};

constexpr std::size_t table_rows = 9;

template <class T>
struct LookupCase {
  LookupCase(std::size_t width, std::size_t samples, std::size_t count, std::uint64_t seed)
      : table_values(table_rows * padded<T>(width), std::numeric_limits<T>::quiet_NaN()),
        delta_values(width * (samples + 8)),
        touches(samples * count),
        each(count),
        table(table_values.data(), table_rows, width, padded<T>(width)),
        delta(delta_values.data(), width, samples, samples + 8) {
    RandomStream random(seed);
    for (std::size_t r = 0; r < table_rows; ++r)
      for (T& x : table.row(r)) x = static_cast<T>(random.uniform(-1, 1));
    for (T& x : delta_values) x = static_cast<T>(random.uniform(-1, 1));
    for (Touch<T>& touch : touches) {
      touch.row = static_cast<std::uint32_t>(random.uniform() * table_rows);
      touch.first = static_cast<T>(random.uniform(-1, 1));
      if (touch.row + 1 < table_rows && random.uniform() < 0.7)
        touch.second = static_cast<T>(random.uniform(-1, 1));
    }
  }
  VectorOf<T> table_values, delta_values;
  std::vector<Touch<T>> touches;
  std::size_t each;
  MatrixView<T> table, delta;

  [[nodiscard]] VectorOf<T> gathered(const LookupKernels<T>& kernels) const {
    VectorOf<T> out(delta.rows() * (delta.columns() + 16), T{7});
    kernels.gather(table, touches.data(), each,
                   {out.data(), delta.rows(), delta.columns(), delta.columns() + 16});
    return out;
  }
  [[nodiscard]] Vector scattered(const LookupKernels<T>& kernels) const {
    Vector sums(table_rows * (delta.rows() + 3), 0.25);
    kernels.scatter(touches.data(), each, delta, {sums.data(), table_rows, delta.rows(), delta.rows() + 3});
    return sums;
  }
};

template <class Values>
double largest_difference(const Values& a, const Values& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(double{a[i]} - double{b[i]});
    worst = std::isnan(d) ? std::numeric_limits<double>::infinity() : std::max(worst, d);
  }
  return worst;
}

template <class T>
void expect_agreement() {
  for (const std::size_t width : {1, 3, 7, 8, 19, 50, 100})
    for (const std::size_t panels : {1, 2, 5})
      for (const std::size_t each : {1, 2, 11}) {
        const std::size_t samples = panels * panel_quantum<T>;
        SCOPED_TRACE(testing::Message() << width << " wide, " << samples << " samples, " << each);
        const LookupCase<T> c(width, samples, each, width + samples);
        const double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) * 4;
        EXPECT_LE(largest_difference(c.gathered(simd_lookup<T>()), c.gathered(reference_lookup<T>())),
                  unit * static_cast<double>(2 * each));
        EXPECT_LE(largest_difference(c.scattered(simd_lookup<T>()), c.scattered(reference_lookup<T>())),
                  1e-15 * static_cast<double>(samples * each));  // sums are double in any case
      }
}

TEST_P(EveryLookupTarget, AgreesWithThePlainTwinForEverySize) {
  expect_agreement<double>();
  expect_agreement<float>();
}

template <class T>
void expect_agreement_of_activations() {
  for (const Activation g :
       {Activation::linear, Activation::sigmoid, Activation::tanh, Activation::relu, Activation::leaky_relu,
        Activation::elu, Activation::softplus, Activation::silu, Activation::gaussian,
        Activation::multiquadric, Activation::inverse_multiquadric})
    for (const std::size_t samples : {panel_quantum<T>, 3 * panel_quantum<T>}) {
      SCOPED_TRACE(testing::Message() << to_string(g) << " " << samples);
      const auto run = [&](const LookupKernels<T>& kernels) {
        RandomStream random(4);
        VectorOf<T> a(3 * samples), slope(a.size()), change(a.size());
        for (T& x : a) x = static_cast<T>(random.uniform(info_of(g).radial ? 0 : -4, 4));
        for (T& x : change) x = static_cast<T>(random.uniform(-1, 1));
        const MatrixView<T> z(a.data(), 3, samples), s(slope.data(), 3, samples);
        kernels.activate(g, z, s);
        kernels.times_slope(g, z, s, {change.data(), 3, samples});
        a.insert(a.end(), change.begin(), change.end());
        if (stores_slope(g)) a.insert(a.end(), slope.begin(), slope.end());
        return a;
      };
      EXPECT_LE(largest_difference(run(simd_lookup<T>()), run(reference_lookup<T>())),
                32 * static_cast<double>(std::numeric_limits<T>::epsilon()));
    }
}

TEST_P(EveryLookupTarget, AgreesWithThePlainTwinForEveryActivation) {
  expect_agreement_of_activations<double>();
  expect_agreement_of_activations<float>();
}

TEST_P(EveryLookupTarget, ToleranceRefusesAFlippedSign) {
  LookupCase<double> c(19, 16, 11, 1);
  const auto right = c.gathered(reference_lookup());
  c.touches[5].first = -c.touches[5].first;
  EXPECT_GT(largest_difference(c.gathered(simd_lookup()), right), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, EveryLookupTarget,
                         testing::ValuesIn(testing_support::instruction_sets()),
                         testing_support::name_of_instruction_set);

}  // namespace
}  // namespace strata
