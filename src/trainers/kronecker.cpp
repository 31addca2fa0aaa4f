#include "trainers/kronecker.h"

#include <algorithm>
#include <cmath>

#include "kernels/panel.h"

namespace strata {

namespace {

double trace(ConstMatrix m) {
  double sum = 0;
  for (std::size_t i = 0; i < m.rows(); ++i) sum += m(i, i);
  return sum;
}

double mean_diagonal(double trace, std::size_t rows) {
  return std::max(trace / static_cast<double>(rows), 1e-300);  // a dead layer has no moments at all
}

double mean_diagonal(ConstMatrix m) { return mean_diagonal(trace(m), m.rows()); }

// visit(rows, their moments) for each part of several rows; returns where the squares of the single ones begin.
template <class Visit>
const double* for_each_part(const InputMoments& moments, const Visit& visit) {
  const double* values = moments.values;
  for (const auto& rows : moments.parts->dense) {
    visit(rows, ConstMatrix(values, rows.size(), rows.size()));
    values += rows.size() * rows.size();
  }
  return values;
}

// Moments summed in single precision are known to about this fraction of their diagonal. With a smaller ridge they might
// not be positive definite, and a preconditioner need not be that fine.
constexpr double least_relative_ridge = 1e-7;

double ridge_of(double wanted, ConstMatrix m) {
  return std::max(wanted, least_relative_ridge * mean_diagonal(m));
}

}  // namespace

void KroneckerInverse::prepare(const InputMoments& inputs, ConstMatrix outputs, double mu) {
  parts_ = inputs.parts;
  inputs_ = parts_->single.size();
  double sum = 0;
  std::size_t largest = 0;
  const double* const squares = for_each_part(inputs, [&](const auto& rows, ConstMatrix moments) {
    inputs_ += rows.size();
    largest = std::max(largest, rows.size());
    sum += trace(moments);
  });
  for (std::size_t i = 0; i < parts_->single.size(); ++i) sum += squares[i];
  outputs_ = outputs.rows();
  stride_ = padded(outputs_);
  input_inverse_.resize(parts_->size());
  output_inverse_.assign(outputs_ * stride_, 0.0);
  padded_.assign(inputs_ * stride_, 0.0);
  product_.resize(inputs_ * stride_);
  result_.resize(inputs_ * stride_);
  gathered_.resize(2 * largest * stride_);
  const double pi = std::sqrt(mean_diagonal(sum, inputs_) / mean_diagonal(outputs));
  const double damping = std::sqrt(mu);
  double* inverse = input_inverse_.data();
  for_each_part(inputs, [&](const auto& rows, ConstMatrix moments) {
    invert_(moments, ridge_of(pi * damping, moments), {inverse, rows.size(), rows.size()});
    inverse += rows.size() * rows.size();
  });
  for (std::size_t i = 0; i < parts_->single.size(); ++i)
    inverse[i] = 1 / (squares[i] + std::max(pi * damping, least_relative_ridge * squares[i]));
  invert_(outputs, ridge_of(damping / pi, outputs), {output_inverse_.data(), outputs_, outputs_, stride_});
}

// Both products run on the panel kernels: a row of weights is taken for a row of samples.
void KroneckerInverse::operator()(std::span<const double> r, std::span<double> y) {
  const Kernels<>& kernels = simd_kernels();
  for (std::size_t k = 0; k < inputs_; ++k)
    std::copy_n(r.data() + k * outputs_, outputs_, padded_.data() + k * stride_);
  const double* inverse = input_inverse_.data();
  for (const auto& rows : parts_->dense) {
    solve_part(rows, inverse);
    inverse += rows.size() * rows.size();
  }
  for (std::size_t i = 0; i < parts_->single.size(); ++i) {
    const std::size_t start = parts_->single[i] * stride_;
    for (std::size_t o = 0; o < outputs_; ++o) product_[start + o] = inverse[i] * padded_[start + o];
  }
  kernels.backward(Activation::linear, {product_.data(), inputs_, outputs_, stride_},
                   {output_inverse_.data(), outputs_, stride_}, {}, {}, {result_.data(), inputs_, stride_});
  for (std::size_t k = 0; k < inputs_; ++k)
    std::copy_n(result_.data() + k * stride_, outputs_, y.data() + k * outputs_);
}

void KroneckerInverse::solve_part(const std::vector<std::size_t>& rows, const double* inverse) {
  const Kernels<>& kernels = simd_kernels();
  const std::size_t n = rows.size();
  const ConstMatrix factor(inverse, n, n);
  if (n == inputs_) {  // all rows, in their order
    kernels.affine(Activation::linear, factor, {padded_.data(), n, stride_}, {product_.data(), n, stride_},
                   {});
    return;
  }
  double* const from = gathered_.data();
  double* const to = from + n * stride_;
  for (std::size_t i = 0; i < n; ++i)
    std::copy_n(padded_.data() + rows[i] * stride_, stride_, from + i * stride_);
  kernels.affine(Activation::linear, factor, {from, n, stride_}, {to, n, stride_}, {});
  for (std::size_t i = 0; i < n; ++i)
    std::copy_n(to + i * stride_, stride_, product_.data() + rows[i] * stride_);
}

void KroneckerInverses::prepare(const LocalModel& model, double damping) {
  const std::size_t first = model.block().first;
  layers_.resize(model.block().last - first + 1);
  for (std::size_t l = 0; l < layers_.size(); ++l)
    layers_[l].prepare(model.input_moments(first + l), model.sensitivity_moments(first + l),
                       model.ridge() + damping);
}

void KroneckerInverses::operator()(std::span<const double> r, std::span<double> y) {
  std::size_t start = 0;
  for (KroneckerInverse& layer : layers_) {
    layer(r.subspan(start, layer.size()), y.subspan(start, layer.size()));
    start += layer.size();
  }
}

}  // namespace strata
