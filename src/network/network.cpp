#include "strata/network/network.h"

#include <algorithm>
#include <utility>

#include "kernels/panel.h"
#include "network/panel_pass.h"

namespace strata {

Network::Network(Architecture architecture) : architecture_(std::move(architecture)) {
  architecture_.check();
  offsets_.push_back(0);
  for (std::size_t l = 0; l < layers(); ++l)
    offsets_.push_back(offsets_.back() + architecture_.fan_in(l) * architecture_.width(l));
  weights_.assign(offsets_.back(), 0.0);
}

void Network::predict(ConstMatrix inputs, Matrix outputs) const {
  constexpr std::size_t panel_rows = PanelPass::most_samples;
  constexpr std::size_t stride = panel_stride(panel_rows);
  PanelPass pass(*this);
  Vector in(stride * (architecture_.inputs + 1));
  for (std::size_t start = 0; start < inputs.rows(); start += panel_rows) {
    const std::size_t rows = std::min(panel_rows, inputs.rows() - start);
    const Matrix panel(in.data(), architecture_.inputs + 1, padded(rows), stride);
    gather(inputs, rows, [start](std::size_t j) { return start + j; },
           {in.data(), architecture_.inputs, padded(rows), stride});
    set_constant_feature(panel, rows);
    const ConstMatrix out = pass.outputs(panel, rows);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t o = 0; o < outputs.columns(); ++o) outputs(start + r, o) = out(o, r);
  }
}

}  // namespace strata
