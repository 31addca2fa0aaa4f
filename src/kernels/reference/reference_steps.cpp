#include <cmath>
#include <cstddef>

#include "kernels/steps.h"
#include "strata/core/vector.h"

namespace strata {

namespace {

double add_and_square(double scale, std::span<const double> w, std::span<double> g) {
  for (std::size_t i = 0; i < g.size(); ++i) g[i] += scale * w[i];
  return squared_norm(g);
}

void round(std::span<const double> from, float* to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i]);
}

void adam(const AdamStep& step, std::span<const double> g, std::span<double> m, std::span<double> v,
          std::span<double> w) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    m[i] = step.beta1 * m[i] + (1 - step.beta1) * g[i];
    v[i] = step.beta2 * v[i] + (1 - step.beta2) * g[i] * g[i];
    w[i] -= step.rate * m[i] / (step.root_scale * std::sqrt(v[i]) + step.epsilon);
  }
}

void adagrad(const AdagradStep& step, std::span<const double> g, std::span<double> s, std::span<double> w) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    s[i] += g[i] * g[i];
    w[i] -= step.rate * g[i] / (std::sqrt(s[i]) + step.epsilon);
  }
}

void gradient(double scale, std::span<const double> g, std::span<double> w) {
  for (std::size_t i = 0; i < w.size(); ++i) w[i] += scale * g[i];
}

void svrg(double rate, std::span<const double> g, std::span<const double> at_snapshot,
          std::span<const double> full, std::span<double> w) {
  for (std::size_t i = 0; i < w.size(); ++i) w[i] -= rate * (g[i] - at_snapshot[i] + full[i]);
}

void saga(double rate, double share, std::span<const double> g, std::span<double> row, std::span<double> mean,
          std::span<double> w) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    const double change = g[i] - row[i];
    w[i] -= rate * (change + mean[i]);
    mean[i] += share * change;
    row[i] = g[i];
  }
}

}  // namespace

const StepKernels& reference_steps() {
  static constexpr StepKernels kernels{add_and_square, round, adam, adagrad, gradient, svrg, saga};
  return kernels;
}

}  // namespace strata
