#include "network/panel_pass.h"

#include <algorithm>
#include <utility>

#include "kernels/kernels.h"
#include "kernels/panel.h"

namespace strata {

PanelPass::PanelPass(const Network& network)
    : network_(network),
      stride_(panel_stride(most_samples)),
      in_(stride_ * (network.architecture().widest() + 1)),
      out_(in_.size()),
      slope_(in_.size()) {}

ConstMatrix PanelPass::outputs(ConstMatrix inputs, std::size_t samples) {
  const Architecture& architecture = network_.architecture();
  const Kernels<>& kernels = simd_kernels();
  const std::size_t columns = padded(samples);
  for (std::size_t l = 0; l < network_.layers(); ++l) {
    const std::size_t height = architecture.fan_in(l);
    const std::size_t width = architecture.width(l);
    const Matrix before(in_.data(), height, columns, stride_);
    if (l > 0 && architecture.has_bias(l)) set_constant_feature(before, samples);
    kernels.affine(architecture.activation_of(l), network_.layer(l),
                   l > 0 ? ConstMatrix(before) : ConstMatrix(inputs.data(), height, columns, inputs.stride()),
                   {out_.data(), width, columns, stride_}, {slope_.data(), width, columns, stride_});
    std::swap(in_, out_);
  }
  return {in_.data(), architecture.outputs, samples, stride_};
}

}  // namespace strata
