#include "network/panel_pass.h"

#include <utility>
#include <vector>

#include "kernels/panel.h"
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

PanelPass::PanelPass(const Network& network)
    : architecture_(network.architecture()),
      layers_(std::make_shared<Layers>(network)),
      stride_(panel_stride(most_samples)),
      in_(stride_ * (network.architecture().widest() + 1)),
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

}  // namespace strata
