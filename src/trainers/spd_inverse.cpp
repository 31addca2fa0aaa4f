#include "trainers/spd_inverse.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "kernels/panel.h"

namespace strata {

namespace {

constexpr std::size_t block_size = 64;
constexpr std::size_t most_at_once = 2 * block_size;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void invert_at_once(ConstMatrix m, double ridge, Matrix out) {
  using Strided = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>;
  const auto n = static_cast<Eigen::Index>(m.rows());
  RowMajor damped = Strided(m.data(), n, n, Eigen::OuterStride<>(static_cast<Eigen::Index>(m.stride())));
  damped.diagonal().array() += ridge;
  const Eigen::LLT<RowMajor> factor(damped);
  const RowMajor inverse = factor.solve(RowMajor::Identity(n, n));
  for (std::size_t r = 0; r < m.rows(); ++r)
    for (std::size_t c = 0; c < m.rows(); ++c)
      out(r, c) = inverse(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
}

}  // namespace

void SpdInverse::operator()(ConstMatrix m, double ridge, Matrix out) {
  const std::size_t n = m.rows();
  if (n <= most_at_once) return invert_at_once(m, ridge, out);
  constexpr std::size_t stride = padded(block_size);
  for (Vector* space : {&border_, &product_, &scaled_}) space->resize(n * stride);
  for (Vector* space : {&corner_, &corner_inverse_}) space->resize(block_size * stride);
  for (std::size_t done = 0; done < n; done += block_size)
    border(m, ridge, done, std::min(block_size, n - done), out);
}

// From the inverse P of the leading rows to that of `more` rows and columns in addition,
//   [ A  B  ]^-1     [ P + U T'  -U   ]
//   [ B' C  ]     =  [ -U'       S^-1 ]      T = P B,  S = C - B'T,  U = T S^-1
void SpdInverse::border(ConstMatrix m, double ridge, std::size_t done, std::size_t more, Matrix out) {
  const Kernels<>& kernels = simd_kernels();
  const std::size_t width = padded(more);
  const Matrix leading(out.data(), done, done, out.stride());
  const Matrix b(border_.data(), done, width, width);
  const Matrix t(product_.data(), done, width, width);
  const Matrix u(scaled_.data(), done, width, width);
  const Matrix s(corner_.data(), more, width, width);
  const Matrix s_inverse(corner_inverse_.data(), more, width, width);
  std::fill_n(b.data(), done * width, 0.0);
  for (std::size_t r = 0; r < done; ++r) std::copy_n(m.row(r).data() + done, more, b.row(r).data());
  std::fill_n(s.data(), more * width, 0.0);
  if (done > 0) {
    kernels.affine(Activation::linear, leading, b, t, {});
    kernels.affine(Activation::linear, {b.data(), done, more, width}, t, s, {});
  }
  for (std::size_t r = 0; r < more; ++r)
    for (std::size_t c = 0; c < more; ++c) s(r, c) = m(done + r, done + c) - s(r, c);
  std::fill_n(s_inverse.data(), more * width, 0.0);
  invert_at_once({s.data(), more, more, width}, ridge, s_inverse);
  if (done > 0) {
    kernels.backward(Activation::linear, {t.data(), done, more, width}, s_inverse, {}, {}, u);
    kernels.weight_gradient(u, t, leading);
  }
  for (std::size_t r = 0; r < done; ++r)
    for (std::size_t c = 0; c < more; ++c) out(r, done + c) = out(done + c, r) = -u(r, c);
  for (std::size_t r = 0; r < more; ++r)
    for (std::size_t c = 0; c < more; ++c) out(done + r, done + c) = s_inverse(r, c);
}

}  // namespace strata
