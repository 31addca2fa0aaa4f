#pragma once

#include <span>

#include "strata/core/matrix.h"

namespace strata {

// What the softmax loss does with panels, classes x samples, samples contiguous; any number of them.
struct SoftmaxKernels {
  // top = the largest output of each sample, total = sum over classes of exp(out - top)
  void (*totals)(ConstMatrix out, std::span<double> top, std::span<double> total);

  // The same, and p = exp(out - top) / total; p may be `out` itself.
  void (*probabilities)(ConstMatrix out, std::span<double> top, std::span<double> total, Matrix p);

  // u <- H u of each sample's column, H = diag(p) - p p'
  void (*curvature_times)(ConstMatrix p, Matrix u);

  // u <- R u, R = diag(sqrt p) - p sqrt(p)', so that H = R R'
  void (*root_times)(ConstMatrix p, Matrix u);
};

const SoftmaxKernels& reference_softmax();  // plain loops: the definition of right
const SoftmaxKernels& simd_softmax();       // Highway, for the best instruction set of the CPU

}  // namespace strata
