#include "network/panel_pass.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/panel.h"
#include "kernels/row.h"
#include "network/layer_pass.h"

namespace strata {

struct PanelPass::Layers {
  explicit Layers(const Network& network)
      : passes(make_layer_passes(network.architecture(), simd_kernels())), tables(network.layers()) {
    for (std::size_t l = 0; l < network.layers(); ++l)
      weights.push_back(passes[l]->as_read(network.layer(l), tables[l]));
  }

  LayerPasses<double> passes;
  std::vector<Vector> tables;
  std::vector<ConstMatrix> weights;
};

PanelPass::PanelPass(const Network& network, std::size_t samples)
    : architecture_(network.architecture()),
      layers_(std::make_shared<Layers>(network)),
      most_(std::clamp<std::size_t>(samples, 1, most_samples)),
      stride_(panel_stride(most_)),
      in_(std::max(stride_ * (network.architecture().widest() + 1), network.architecture().inputs + 1)),
      out_(in_.size()),
      slope_(in_.size()) {}

ConstMatrix PanelPass::outputs(ConstMatrix inputs, std::size_t samples) {
  const std::size_t columns = padded(samples);
  for (std::size_t l = 0; l < architecture_.layers(); ++l) {
    const std::size_t height = architecture_.input_rows(l);
    const std::size_t width = architecture_.width(l);
    const Matrix before(in_.data(), height, columns, stride_);
    if (l > 0 && architecture_.has_bias(l)) set_constant_feature(before, samples);
    layers_->passes[l]->forward(
        architecture_.activation_of(l), layers_->weights[l],
        l > 0 ? ConstMatrix(before) : ConstMatrix(inputs.data(), height, columns, inputs.stride()),
        {out_.data(), width, columns, stride_}, {slope_.data(), width, columns, stride_});
    std::swap(in_, out_);
  }
  return {in_.data(), architecture_.outputs, samples, stride_};
}

// What enters a dense layer stands side by side in `in_`; a first layer of another kind reads a panel.
void PanelPass::predict_row(std::span<const double> inputs, std::span<double> outputs) {
  const std::size_t by_panel = architecture_.first_is_dense() ? 0 : 1;
  if (by_panel == 0) {
    std::ranges::copy(inputs, in_.begin());
  } else {
    const std::size_t width = architecture_.width(0);
    gathered_.resize(stride_ * (inputs.size() + 1));
    const Matrix panel(gathered_.data(), inputs.size() + 1, padded(1), stride_);
    for (std::size_t k = 0; k < inputs.size(); ++k) panel(k, 0) = inputs[k];
    set_constant_feature(panel, 1);
    layers_->passes[0]->forward(architecture_.activation_of(0), layers_->weights[0],
                                {panel.data(), architecture_.input_rows(0), padded(1), stride_},
                                {out_.data(), width, padded(1), stride_},
                                {slope_.data(), width, padded(1), stride_});
    for (std::size_t k = 0; k < width; ++k) in_[k] = out_[k * stride_];
  }
  for (std::size_t l = by_panel; l < architecture_.layers(); ++l) {
    if (architecture_.has_bias(l)) in_[architecture_.input_rows(l) - 1] = 1;
    affine_row(architecture_.activation_of(l), layers_->weights[l], in_.data(), out_.data());
    std::swap(in_, out_);
  }
  std::copy_n(in_.begin(), outputs.size(), outputs.begin());
}

void PanelPass::predict(ConstMatrix inputs, Matrix outputs) {
  if (inputs.rows() == 1) return predict_row(inputs.row(0), outputs.row(0));
  const std::size_t features = architecture_.inputs;
  gathered_.resize(stride_ * (features + 1));
  for (std::size_t start = 0; start < inputs.rows(); start += most_) {
    const std::size_t rows = std::min(most_, inputs.rows() - start);
    const Matrix panel(gathered_.data(), features + 1, padded(rows), stride_);
    gather(inputs, rows, [start](std::size_t j) { return start + j; },
           {panel.data(), features, panel.columns(), stride_});
    set_constant_feature(panel, rows);
    const ConstMatrix out = this->outputs(panel, rows);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t o = 0; o < outputs.columns(); ++o) outputs(start + r, o) = out(o, r);
  }
}

}  // namespace strata
