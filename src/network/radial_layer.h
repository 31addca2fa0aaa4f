#pragma once

#include <cassert>
#include <numeric>

#include "kernels/lookup.h"
#include "network/dense_layer.h"
#include "network/layer_pass.h"

namespace strata {

// The first layer where its activation is radial. Each column of w is a centre c, and with n inputs and the width s
//   a = ||x - c||^2 / (n s^2) = (x'x - 2 c'x + c'c) / (n s^2),
// so that the work is one product, as of a dense layer. Passes read the centres and, in a row below them, c'c.
template <class T>
class RadialLayer final : public LayerPass<T> {
 public:
  using typename LayerPass<T>::Panel;
  using typename LayerPass<T>::ConstPanel;

  RadialLayer(const Architecture& architecture, const Kernels<T>& kernels)
      : kernels_(kernels),
        lookup_(lookup_beside(kernels)),
        products_(kernels, architecture.inputs),
        factor_(architecture.radial_factor()) {}

  ConstPanel as_read(ConstPanel w, VectorOf<T>& space) const override { return with_products(w, w, space); }
  void to_weights(Matrix gradient) const override { scale(gradient, -2 * factor_); }

  void forward(Activation g, ConstPanel w, ConstPanel in, Panel out, Panel slope) const override {
    thread_local VectorOf<T> squares;  // x'x; grows to the largest panel the thread has seen
    if (squares.size() < in.columns()) squares.resize(in.columns());
    kernels_.column_dots(in, in, squares.data());
    kernels_.affine(Activation::linear, without_products(w), in, out, {});
    const T factor = static_cast<T>(factor_);
    for (std::size_t o = 0; o < out.rows(); ++o) {
      const T own = w(w.rows() - 1, o);
      const std::span<T> a = out.row(o);
      for (std::size_t j = 0; j < a.size(); ++j) a[j] = factor * (squares[j] + own - 2 * a[j]);
    }
    lookup_.activate(g, out, slope);
  }

  void backward(ConstPanel /*w*/, ConstPanel /*delta*/, const LayerOutput<T>& /*before*/,
                Panel /*out*/) const override {
    assert(false && "there is no layer before the first");
  }

  // Without the factor of da/dc = -2 (x - c) / (n s^2), which `to_weights` brings in.
  void gradient(ConstPanel w, ConstPanel in, ConstPanel delta, Matrix gradient) const override {
    kernels_.weight_gradient(in, delta, gradient);
    for (std::size_t o = 0; o < delta.rows(); ++o) {
      const std::span<const T> row = delta.row(o);
      const double sum = std::accumulate(row.begin(), row.end(), 0.0);
      for (std::size_t k = 0; k < gradient.rows(); ++k) gradient(k, o) -= double{w(k, o)} * sum;
    }
  }

  // v, and c'v below it: the change is -2 (x'v - c'v) / (n s^2).
  ConstPanel direction(ConstPanel w, ConstPanel v, VectorOf<T>& space) const override {
    return with_products(w, v, space);
  }
  void change(ConstPanel v, ConstPanel in, Panel out) const override {
    kernels_.affine(Activation::linear, without_products(v), in, out, {});
    const T factor = static_cast<T>(-2 * factor_);
    for (std::size_t o = 0; o < out.rows(); ++o)
      for (T& a : out.row(o)) a = factor * (a - v(v.rows() - 1, o));
  }
  void tangent(ConstPanel v, ConstPanel in, const LayerOutput<T>& own, Panel out) const override {
    change(v, in, out);
    lookup_.times_slope(own.g, own.z, own.slope, out);
  }

  // Of the inputs: for a preconditioner, centres are on average where the mean of the inputs is.
  void moments(ConstPanel in, const SampleWeights& rows, const MomentScratch<T>& scratch,
               double* sums) const override {
    products_.moments(in, rows, scratch, sums);
  }
  void finish_moments(double* sums) const override {
    products_.finish_moments(sums);
    const std::size_t inputs = products_.fan_in();
    scale({sums, inputs, inputs}, 4 * factor_ * factor_);
  }
  [[nodiscard]] std::size_t moments_size() const override { return products_.moments_size(); }

 private:
  static void scale(Matrix values, double factor) {
    for (std::size_t r = 0; r < values.rows(); ++r)
      for (double& value : values.row(r)) value *= factor;
  }

  // v, and in a row below it the product of each of its columns with that of w.
  static ConstPanel with_products(ConstPanel w, ConstPanel v, VectorOf<T>& space) {
    const std::size_t inputs = v.rows();
    space.resize((inputs + 1) * v.columns());
    const Panel made(space.data(), inputs + 1, v.columns());
    for (std::size_t o = 0; o < v.columns(); ++o) made(inputs, o) = 0;
    for (std::size_t k = 0; k < inputs; ++k)
      for (std::size_t o = 0; o < v.columns(); ++o) {
        made(k, o) = v(k, o);
        made(inputs, o) += w(k, o) * v(k, o);
      }
    return made;
  }
  static ConstPanel without_products(ConstPanel v) {
    return {v.data(), v.rows() - 1, v.columns(), v.stride()};
  }

  const Kernels<T>& kernels_;
  const LookupKernels<T>& lookup_;
  DenseLayer<T> products_;  // of the inputs, for moments
  double factor_;           // 1 / (n s^2)
};

}  // namespace strata
