#pragma once

#include <cstddef>
#include <span>

#include "strata/core/matrix.h"
#include "strata/core/vector.h"

namespace strata {

// The inverse of a damped Kronecker product, as a preconditioner for a layer's Gauss-Newton matrix:
//   J'J + mu I  ~  (K + pi sqrt(mu) I) x (B + sqrt(mu)/pi I),   pi^2 = mean eigenvalue of K over that of B
// for weights laid out inputs x outputs, K the moments of the inputs, B those of the sensitivities.
class KroneckerInverse {
 public:
  void prepare(ConstMatrix inputs, ConstMatrix outputs, double mu);

  [[nodiscard]] std::size_t size() const { return inputs_ * outputs_; }

  // y = K^-1 R B^-1 with R the matrix in r
  void operator()(std::span<const double> r, std::span<double> y);

 private:
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
  std::size_t stride_ = 0;  // of rows of `outputs_` entries, padded for the kernels
  Vector input_inverse_;    // inputs x inputs
  Vector output_inverse_;   // outputs x outputs, padded
  Vector padded_, product_, result_;
};

}  // namespace strata
