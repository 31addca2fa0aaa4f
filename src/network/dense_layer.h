#pragma once

#include "kernels/moment_factor.h"
#include "network/layer_pass.h"

namespace strata {

// Every input to every neuron: w is fan_in x fan_out, a = w' in.
template <class T>
class DenseLayer final : public LayerPass<T> {
 public:
  using typename LayerPass<T>::Panel;
  using typename LayerPass<T>::ConstPanel;

  explicit DenseLayer(const Kernels<T>& kernels, std::size_t fan_in) : kernels_(kernels), fan_in_(fan_in) {}

  void forward(Activation g, ConstPanel w, ConstPanel in, Panel out, Panel slope) const override {
    kernels_.affine(g, w, in, out, slope);
  }

  void backward(ConstPanel w, ConstPanel delta, const LayerOutput<T>& before, Panel out) const override {
    kernels_.backward(before.g, w, delta, before.z, before.slope, out);
  }

  void gradient(ConstPanel /*w*/, ConstPanel in, ConstPanel delta, Matrix gradient) const override {
    kernels_.weight_gradient(in, delta, gradient);
  }

  ConstPanel tangent_form(ConstPanel /*w*/, ConstPanel v, VectorOf<T>& space) const override {
    space.resize(v.rows() * v.columns());
    for (std::size_t i = 0; i < v.rows(); ++i)
      for (std::size_t o = 0; o < v.columns(); ++o) space[o * v.rows() + i] = v(i, o);
    return {space.data(), v.columns(), v.rows()};
  }

  // The backward kernel with a transposed matrix is a forward step that ends in g'.
  void tangent(ConstPanel v, ConstPanel in, const LayerOutput<T>& own, Panel out) const override {
    kernels_.backward(own.g, v, in, own.z, own.slope, out);
  }

  void moments(ConstPanel in, const SampleWeights& rows, const MomentScratch<T>& scratch,
               double* sums) const override {
    const ConstPanel z = moment_factor(in, rows.weights, rows.samples, scratch.values, scratch.row);
    kernels_.upper_products(z, {sums, fan_in_, fan_in_});
  }

  void finish_moments(double* sums) const override { fill_below_the_diagonal({sums, fan_in_, fan_in_}); }
  [[nodiscard]] std::size_t moments_size() const override { return fan_in_ * fan_in_; }
  [[nodiscard]] std::size_t fan_in() const { return fan_in_; }

 private:
  const Kernels<T>& kernels_;
  std::size_t fan_in_;
};

}  // namespace strata
