// Element-wise updates: every instruction set has the bits of the plain loops.
#include "kernels/steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "strata/core/random.h"
#include "strata/core/vector.h"
#include "support/instruction_sets.h"

namespace strata {
namespace {

using testing_support::EveryInstructionSet;

Vector numbers(std::size_t size, std::uint64_t seed, double low, double high) {
  Vector result(size);
  RandomStream random(seed);
  for (double& x : result) x = random.uniform(low, high);
  return result;
}

// Weights and what the update remembers, after three steps that begin at a misaligned place.
struct Steps {
  Vector weights, first, second;
  friend bool operator==(const Steps&, const Steps&) = default;
};

Steps adam_steps(const StepKernels& kernels, std::size_t size) {
  Steps s{numbers(size + 1, 1, -1, 1), Vector(size + 1, 0.0), Vector(size + 1, 0.0)};
  for (std::uint64_t t = 1; t <= 3; ++t) {
    const Vector g = numbers(size + 1, 10 + t, -2, 2);
    kernels.adam({.beta1 = 0.9, .beta2 = 0.999, .rate = 0.01, .root_scale = 3, .epsilon = 1e-8},
                 std::span(g).subspan(1), std::span(s.first).subspan(1), std::span(s.second).subspan(1),
                 std::span(s.weights).subspan(1));
  }
  return s;
}

Steps adagrad_steps(const StepKernels& kernels, std::size_t size) {
  Steps s{numbers(size + 1, 1, -1, 1), Vector(size + 1, 0.0), {}};
  for (std::uint64_t t = 1; t <= 3; ++t) {
    const Vector g = numbers(size + 1, 10 + t, -2, 2);
    kernels.adagrad({.rate = 0.01, .epsilon = 1e-10}, std::span(g).subspan(1), std::span(s.first).subspan(1),
                    std::span(s.weights).subspan(1));
  }
  return s;
}

Steps gradient_steps(const StepKernels& kernels, std::size_t size) {
  Steps s{numbers(size + 1, 1, -1, 1), {}, {}};
  for (std::uint64_t t = 1; t <= 3; ++t) {
    const Vector g = numbers(size + 1, 10 + t, -2, 2);
    kernels.gradient(-0.01, std::span(g).subspan(1), std::span(s.weights).subspan(1));
  }
  return s;
}

Steps svrg_steps(const StepKernels& kernels, std::size_t size) {
  Steps s{numbers(size + 1, 1, -1, 1), numbers(size + 1, 2, -1, 1), numbers(size + 1, 3, -1, 1)};
  for (std::uint64_t t = 1; t <= 3; ++t) {
    const Vector g = numbers(size + 1, 10 + t, -2, 2);
    kernels.svrg(0.01, std::span(g).subspan(1), std::span(s.first).subspan(1), std::span(s.second).subspan(1),
                 std::span(s.weights).subspan(1));
  }
  return s;
}

Steps saga_steps(const StepKernels& kernels, std::size_t size) {
  Steps s{numbers(size + 1, 1, -1, 1), numbers(size + 1, 2, -1, 1), numbers(size + 1, 3, -1, 1)};
  for (std::uint64_t t = 1; t <= 3; ++t) {
    const Vector g = numbers(size + 1, 10 + t, -2, 2);
    kernels.saga(0.01, 0.3, std::span(g).subspan(1), std::span(s.first).subspan(1),
                 std::span(s.second).subspan(1), std::span(s.weights).subspan(1));
  }
  return s;
}

// The gradient, and its square in front of it.
Vector squared(const StepKernels& kernels, std::size_t size) {
  Vector g = numbers(size + 1, 10, -2, 2);
  const Vector w = numbers(size + 1, 1, -1, 1);
  g[0] = kernels.add_and_square(0.3, std::span(w).subspan(1), std::span(g).subspan(1));
  return g;
}

std::vector<float> rounded(const StepKernels& kernels, std::size_t size) {
  const Vector from = numbers(size + 1, 10, -2, 2);
  std::vector<float> to(size + 1);
  kernels.round(std::span(from).subspan(1), to.data() + 1);
  return to;
}

class StepsOn : public EveryInstructionSet {};

TEST_P(StepsOn, HaveTheBitsOfThePlainLoopsForEverySize) {
  for (const std::size_t size : {0, 1, 2, 3, 7, 8, 9, 31, 64, 1001}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(squared(simd_steps(), size), squared(reference_steps(), size));
    EXPECT_EQ(rounded(simd_steps(), size), rounded(reference_steps(), size));
    EXPECT_EQ(adam_steps(simd_steps(), size), adam_steps(reference_steps(), size));
    EXPECT_EQ(adagrad_steps(simd_steps(), size), adagrad_steps(reference_steps(), size));
    EXPECT_EQ(gradient_steps(simd_steps(), size), gradient_steps(reference_steps(), size));
    EXPECT_EQ(svrg_steps(simd_steps(), size), svrg_steps(reference_steps(), size));
    EXPECT_EQ(saga_steps(simd_steps(), size), saga_steps(reference_steps(), size));
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, StepsOn, testing::ValuesIn(testing_support::instruction_sets()),
                         testing_support::name_of_instruction_set);

// The formula as Kingma & Ba print it, with both corrections as divisions of their own.
TEST(AdamStep, AgreesWithThePublishedFormula) {
  constexpr double beta1 = 0.9, beta2 = 0.999, rate = 1e-3, epsilon = 1e-8;
  Vector m(1, 0.2), v(1, 0.3), w(1, 0.5);
  const Vector g(1, -0.7);
  constexpr int t = 5;
  const double m_hat = (beta1 * m[0] + (1 - beta1) * g[0]) / (1 - std::pow(beta1, t));
  const double v_hat = (beta2 * v[0] + (1 - beta2) * g[0] * g[0]) / (1 - std::pow(beta2, t));
  const double expected = w[0] - rate * m_hat / (std::sqrt(v_hat) + epsilon);
  reference_steps().adam({.beta1 = beta1,
                          .beta2 = beta2,
                          .rate = rate / (1 - std::pow(beta1, t)),
                          .root_scale = 1 / std::sqrt(1 - std::pow(beta2, t)),
                          .epsilon = epsilon},
                         g, m, v, w);
  EXPECT_NEAR(w[0], expected, 1e-18 + 1e-15 * std::abs(expected));
}

}  // namespace
}  // namespace strata
