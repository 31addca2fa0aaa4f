// Gauss-Newton products for one hidden layer. With a_l = W' z and S = d output / d a_l, the row of the Jacobian that
// belongs to sample p and one output is the outer product of z_p and S_p, hence
//   J v  = column sums of (V' Z) * S          J' u = Z (u * S)'
#include <algorithm>

#include "kernels/panel.h"
#include "objective/evaluator.h"

namespace strata {

Matrix Evaluator::sensitivity(std::size_t layer, std::size_t output, std::size_t panel) {
  const std::size_t width = architecture_.width(layer);
  const std::size_t index = (panel - first_panel_) * architecture_.outputs + output;
  return {sensitivities_.data() + index * width * stride_, width, columns(panel), stride_};
}

// From d output / d output = 1 down to the layer, by the backward kernel; zero in the padding.
void Evaluator::propagate_sensitivity(std::size_t layer, std::size_t output, std::size_t panel,
                                      Workspace& space) {
  const std::size_t n = columns(panel);
  const Matrix seed(space.delta.data(), architecture_.outputs, n, stride_);
  for (std::size_t o = 0; o < seed.rows(); ++o)
    for (std::size_t j = 0; j < n; ++j) seed(o, j) = o == output && j < rows_->samples(panel) ? 1 : 0;
  for (std::size_t l = network_.layers() - 1; l > layer; --l) {
    const ConstMatrix w = network_.layer(l);
    const std::size_t width = architecture_.width(l - 1);
    const Matrix out = l - 1 == layer ? sensitivity(layer, output, panel)
                                      : Matrix(space.next_delta.data(), width, n, stride_);
    kernels_.backward(architecture_.activation_of(l - 1), w, {space.delta.data(), w.columns(), n, stride_},
                      {space.z[l - 1].data(), width, n, stride_},
                      {space.slope[l - 1].data(), width, n, stride_}, out);
    std::swap(space.delta, space.next_delta);
  }
}

double Evaluator::linearise(std::size_t layer, std::span<double> sums) {
  const Weights weights{&network_, {layer, layer}, network_.weights({layer, layer})};
  const std::size_t height = architecture_.fan_in(layer);
  const std::size_t width = architecture_.width(layer);
  const std::size_t outputs = architecture_.outputs;
  const auto rows = static_cast<double>(batch_.rows);
  const std::size_t needed = panels_ * outputs * width * stride_;
  if (sensitivities_.size() < needed) sensitivities_.resize(needed);

  ++work_.evaluations;
  work_.forward += (network_.layers() - forward_start(layer)) * batch_.rows;
  work_.backward += outputs * (network_.layers() - 1 - layer) * batch_.rows;
  work_.weight_gradient += 3 * batch_.rows;
  const double sum = over_panels(sums, [&](std::size_t panel, Workspace& space, double* partial) {
    forward(weights, panel, space);
    const std::size_t n = columns(panel);
    const ConstMatrix out(space.out.data(), outputs, n, stride_);
    for (std::size_t m = 0; m < outputs; ++m) propagate_sensitivity(layer, m, panel, space);
    // `delta` becomes d loss / d outputs; `next_delta` the same with respect to a_l.
    const Matrix residual(space.delta.data(), outputs, n, stride_);
    const double loss = loss_.value_and_delta(out, rows_->targets(panel), rows_->weights(panel),
                                              rows_->samples(panel), 1 / rows, residual);
    const Matrix delta(space.next_delta.data(), width, n, stride_);
    for (std::size_t m = 0; m < outputs; ++m)
      kernels_.scale_columns(sensitivity(layer, m, panel), residual.row(m).data(), m > 0, delta);

    const ConstMatrix in = input_of(layer, layer, panel, space);
    double* input_moments = partial + height * width;
    double* output_moments = input_moments + height * height;
    kernels_.weight_gradient(in, delta, {partial, height, width});
    const ConstMatrix z = moment_factor(in, panel, space);
    kernels_.weight_gradient(z, z, {input_moments, height, height});
    for (std::size_t m = 0; m < outputs; ++m) {
      const ConstMatrix s = moment_factor(sensitivity(layer, m, panel), panel, space);
      kernels_.weight_gradient(s, s, {output_moments, width, width});
    }
    return loss;
  });
  return sum / rows;
}

void Evaluator::gauss_newton_times(std::size_t layer, std::span<const double> v, std::span<double> hv) {
  const std::size_t height = architecture_.fan_in(layer);
  const std::size_t width = architecture_.width(layer);
  const ConstMatrix direction(v.data(), height, width);
  const double scale = 2 / static_cast<double>(batch_.rows);  // second derivative of the mean squared loss
  work_.forward += (caching_ ? 1 : layer + 1) * batch_.rows;
  work_.weight_gradient += batch_.rows;
  over_panels(hv, [&](std::size_t panel, Workspace& space, double* partial) {
    const std::size_t n = columns(panel);
    if (!caching_) recompute_input(layer, panel, space);
    const ConstMatrix in = input_of(layer, layer, panel, space);
    const std::span<const double> weights = rows_->weights(panel);
    const Matrix moved(space.delta.data(), width, n, stride_);
    const Matrix back(space.next_delta.data(), width, n, stride_);
    kernels_.affine(Activation::linear, direction, in, moved, {});
    for (std::size_t m = 0; m < architecture_.outputs; ++m) {
      const ConstMatrix s = sensitivity(layer, m, panel);
      kernels_.column_dots(s, moved, space.row.data());
      for (std::size_t j = 0; j < n; ++j) space.row[j] *= scale;
      if (!weights.empty())
        for (std::size_t j = 0; j < n; ++j) space.row[j] *= weights[j];
      kernels_.scale_columns(s, space.row.data(), m > 0, back);
    }
    kernels_.weight_gradient(in, back, {partial, height, width});
    return 0.0;
  });
}

// Without a cache, the layer's input comes from a forward pass over the layers before it.
void Evaluator::recompute_input(std::size_t layer, std::size_t panel, Workspace& space) {
  const std::size_t n = columns(panel);
  for (std::size_t l = 0; l < layer; ++l) {
    const std::size_t width = architecture_.width(l);
    kernels_.affine(architecture_.activation_of(l), network_.layer(l), input_of(l, layer, panel, space),
                    {space.z[l].data(), width, n, stride_}, {space.slope[l].data(), width, n, stride_});
  }
}

}  // namespace strata
