#include "trainers/kronecker.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "kernels/panel.h"

namespace strata {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double mean_diagonal(ConstMatrix m) {
  double sum = 0;
  for (std::size_t i = 0; i < m.rows(); ++i) sum += m(i, i);
  return std::max(sum / static_cast<double>(m.rows()), 1e-300);  // a dead layer has no moments at all
}

// Moments summed in single precision are known to about this fraction of their diagonal. With a smaller ridge they might
// not be positive definite, and a preconditioner need not be that fine.
constexpr double least_relative_ridge = 1e-7;

// out = (m + ridge I)^-1, out with its own stride
void invert(ConstMatrix m, double ridge, Matrix out) {
  const auto n = static_cast<Eigen::Index>(m.rows());
  RowMajor damped = Eigen::Map<const RowMajor>(m.data(), n, n);
  damped.diagonal().array() += std::max(ridge, least_relative_ridge * mean_diagonal(m));
  const Eigen::LLT<RowMajor> factor(damped);
  const RowMajor inverse = factor.solve(RowMajor::Identity(n, n));
  for (std::size_t r = 0; r < m.rows(); ++r)
    for (std::size_t c = 0; c < m.rows(); ++c)
      out(r, c) = inverse(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
}

}  // namespace

void KroneckerInverse::prepare(ConstMatrix inputs, ConstMatrix outputs, double mu) {
  inputs_ = inputs.rows();
  outputs_ = outputs.rows();
  stride_ = padded(outputs_);
  input_inverse_.resize(inputs_ * inputs_);
  output_inverse_.assign(outputs_ * stride_, 0.0);
  padded_.assign(inputs_ * stride_, 0.0);
  product_.resize(inputs_ * stride_);
  result_.resize(inputs_ * stride_);
  const double pi = std::sqrt(mean_diagonal(inputs) / mean_diagonal(outputs));
  const double damping = std::sqrt(mu);
  invert(inputs, pi * damping, {input_inverse_.data(), inputs_, inputs_});
  invert(outputs, damping / pi, {output_inverse_.data(), outputs_, outputs_, stride_});
}

// Both products run on the panel kernels: a row of weights is taken for a row of samples.
void KroneckerInverse::operator()(std::span<const double> r, std::span<double> y) {
  const Kernels<>& kernels = simd_kernels();
  for (std::size_t k = 0; k < inputs_; ++k)
    std::copy_n(r.data() + k * outputs_, outputs_, padded_.data() + k * stride_);
  kernels.affine(Activation::linear, {input_inverse_.data(), inputs_, inputs_},
                 {padded_.data(), inputs_, stride_}, {product_.data(), inputs_, stride_}, {});
  kernels.backward(Activation::linear, {product_.data(), inputs_, outputs_, stride_},
                   {output_inverse_.data(), outputs_, stride_}, {}, {}, {result_.data(), inputs_, stride_});
  for (std::size_t k = 0; k < inputs_; ++k)
    std::copy_n(result_.data() + k * stride_, outputs_, y.data() + k * outputs_);
}

}  // namespace strata
