#pragma once

#include <span>

namespace strata {

// Element-wise work on weights and gradients: what a minibatch step does beside the products of matrices. No multiplication is
// fused with an addition, so that every instruction set gives the bits of the plain loops.
struct AdamStep {
  double beta1;
  double beta2;
  double rate;        // divided by 1 - beta1^t
  double root_scale;  // 1 / sqrt(1 - beta2^t)
  double epsilon;
};

struct AdagradStep {
  double rate;
  double epsilon;
};

struct StepKernels {
  // g <- g + scale w; returns ||g||^2, added up as LaneSum does. w and g must not overlap
  double (*add_and_square)(double scale, std::span<const double> w, std::span<double> g);

  // to <- from, rounded to single precision
  void (*round)(std::span<const double> from, float* to);

  // m <- beta1 m + (1 - beta1) g,  v <- beta2 v + (1 - beta2) g^2,  w <- w - rate m / (root_scale sqrt(v) + epsilon)
  void (*adam)(const AdamStep& step, std::span<const double> g, std::span<double> m, std::span<double> v,
               std::span<double> w);

  // s <- s + g^2,  w <- w - rate g / (sqrt(s) + epsilon)
  void (*adagrad)(const AdagradStep& step, std::span<const double> g, std::span<double> s,
                  std::span<double> w);

  // w <- w + scale g
  void (*gradient)(double scale, std::span<const double> g, std::span<double> w);

  // w <- w - rate (g - at_snapshot + full)
  void (*svrg)(double rate, std::span<const double> g, std::span<const double> at_snapshot,
               std::span<const double> full, std::span<double> w);

  // w <- w - rate (g - row + mean),  mean <- mean + share (g - row),  row <- g
  void (*saga)(double rate, double share, std::span<const double> g, std::span<double> row,
               std::span<double> mean, std::span<double> w);
};

const StepKernels& reference_steps();  // plain loops: the definition of right
const StepKernels& simd_steps();       // Highway, for the best instruction set of the CPU

}  // namespace strata
