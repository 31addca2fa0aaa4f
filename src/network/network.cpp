#include "strata/network/network.h"

#include <algorithm>
#include <utility>

#include "kernels/kernels.h"
#include "kernels/panel.h"

namespace strata {

Network::Network(Architecture architecture) : architecture_(std::move(architecture)) {
  architecture_.check();
  offsets_.push_back(0);
  for (std::size_t l = 0; l < layers(); ++l)
    offsets_.push_back(offsets_.back() + architecture_.fan_in(l) * architecture_.width(l));
  weights_.assign(offsets_.back(), 0.0);
}

void Network::predict(ConstMatrix inputs, Matrix outputs) const {
  constexpr std::size_t panel_rows = 128;
  constexpr std::size_t stride = panel_stride(panel_rows);
  const Kernels<>& kernels = simd_kernels();
  Vector in(stride * (std::max(architecture_.inputs, architecture_.widest()) + 1));
  Vector out(in.size());
  Vector slope(in.size());
  for (std::size_t start = 0; start < inputs.rows(); start += panel_rows) {
    const std::size_t rows = std::min(panel_rows, inputs.rows() - start);
    const std::size_t columns = padded(rows);
    gather(inputs, rows, [start](std::size_t j) { return start + j; },
           {in.data(), architecture_.inputs, columns, stride});
    for (std::size_t l = 0; l < layers(); ++l) {
      const Matrix from(in.data(), architecture_.fan_in(l), columns, stride);
      if (architecture_.has_bias(l)) set_constant_feature(from, rows);
      const std::size_t width = architecture_.width(l);
      kernels.affine(architecture_.activation_of(l), layer(l), from, {out.data(), width, columns, stride},
                     {slope.data(), width, columns, stride});
      std::swap(in, out);
    }
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t o = 0; o < outputs.columns(); ++o) outputs(start + r, o) = in[o * stride + r];
  }
}

}  // namespace strata
