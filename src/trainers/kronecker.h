#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/core/vector.h"
#include "strata/network/input_moments.h"
#include "strata/objective/local_model.h"
#include "trainers/spd_inverse.h"

namespace strata {

// The inverse of a damped Kronecker product, as a preconditioner for a layer's Gauss-Newton matrix:
//   J'J + mu I  ~  (K + pi sqrt(mu) I) x (B + sqrt(mu)/pi I),   pi^2 = mean eigenvalue of K over that of B
// for weights laid out inputs x outputs, K the moments of the inputs, as far as they are kept, B those of the
// sensitivities.
class KroneckerInverse {
 public:
  void prepare(const InputMoments& inputs, ConstMatrix outputs, double mu);

  [[nodiscard]] std::size_t size() const { return inputs_ * outputs_; }

  // y = K^-1 R B^-1 with R the matrix in r
  void operator()(std::span<const double> r, std::span<double> y);

 private:
  // product = (K + ridge I)^-1 R, in the rows of the part
  void solve_part(const std::vector<std::size_t>& rows, const double* inverse);

  const MomentParts* parts_ = nullptr;
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
  std::size_t stride_ = 0;  // of rows of `outputs_` entries, padded for the kernels
  Vector input_inverse_;    // of each part, laid out as the moments
  Vector output_inverse_;   // outputs x outputs, padded
  SpdInverse invert_;
  Vector padded_, product_, result_, gathered_;
};

// The same for a block of layers: an inverse for each of them. How they depend on each other is left to the iterations.
class KroneckerInverses {
 public:
  void prepare(const LocalModel& model, double damping);
  void operator()(std::span<const double> r, std::span<double> y);

 private:
  std::vector<KroneckerInverse> layers_;
};

}  // namespace strata
