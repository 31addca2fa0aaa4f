#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "kernels/softmax.h"

namespace strata {

namespace {

void totals(ConstMatrix out, std::span<double> top, std::span<double> total) {
  for (std::size_t j = 0; j < out.columns(); ++j) {
    top[j] = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < out.rows(); ++k) top[j] = std::max(top[j], out(k, j));
    total[j] = 0;
    for (std::size_t k = 0; k < out.rows(); ++k) total[j] += std::exp(out(k, j) - top[j]);
  }
}

void probabilities(ConstMatrix out, std::span<double> top, std::span<double> total, Matrix p) {
  totals(out, top, total);
  for (std::size_t k = 0; k < out.rows(); ++k)
    for (std::size_t j = 0; j < out.columns(); ++j) p(k, j) = std::exp(out(k, j) - top[j]) / total[j];
}

void curvature_times(ConstMatrix p, Matrix u) {
  for (std::size_t j = 0; j < u.columns(); ++j) {
    double mean = 0;
    for (std::size_t k = 0; k < u.rows(); ++k) mean += p(k, j) * u(k, j);
    for (std::size_t k = 0; k < u.rows(); ++k) u(k, j) = p(k, j) * (u(k, j) - mean);
  }
}

void root_times(ConstMatrix p, Matrix u) {
  for (std::size_t j = 0; j < u.columns(); ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < u.rows(); ++k) {
      u(k, j) *= std::sqrt(p(k, j));
      sum += u(k, j);
    }
    for (std::size_t k = 0; k < u.rows(); ++k) u(k, j) -= p(k, j) * sum;
  }
}

}  // namespace

const SoftmaxKernels& reference_softmax() {
  static constexpr SoftmaxKernels kernels{totals, probabilities, curvature_times, root_times};
  return kernels;
}

}  // namespace strata
