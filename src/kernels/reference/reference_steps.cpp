#include <cmath>
#include <cstddef>

#include "kernels/steps.h"

namespace strata {

namespace {

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
  static constexpr StepKernels kernels{adam, adagrad, gradient, svrg, saga};
  return kernels;
}

}  // namespace strata
