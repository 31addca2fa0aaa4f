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

namespace {

bool stores_slopes(const Architecture& architecture) {
  for (std::size_t l = 0; l < architecture.layers(); ++l)
    if (stores_slope(architecture.activation_of(l))) return true;
  return false;
}

}  // namespace

PanelPass::PanelPass(const Network& network, std::size_t samples)
    : architecture_(network.architecture()),
      layers_(std::make_shared<Layers>(network)),
      most_(std::clamp<std::size_t>(samples, 1, most_samples)),
      stride_(panel_stride(most_)),
      in_(std::max(stride_ * (network.architecture().widest() + 1), network.architecture().inputs + 1)),
      out_(in_.size()),
      slope_(stores_slopes(network.architecture()) ? in_.size() : 0) {}

ConstMatrix PanelPass::outputs(ConstMatrix inputs, std::size_t samples) {
  return outputs(inputs, samples, nullptr);
}

const Touch<double>* PanelPass::look_up(ConstMatrix inputs, std::size_t samples) const {
  return layers_->passes[0]->look_up(
      {inputs.data(), architecture_.input_rows(0), padded(samples), inputs.stride()});
}

ConstMatrix PanelPass::outputs(ConstMatrix inputs, std::size_t samples, const Touch<double>* found) {
  const std::size_t columns = padded(samples);
  std::size_t first = 0;
  if (found != nullptr) {
    const std::size_t width = architecture_.width(0);
    layers_->passes[0]->forward_found(found, architecture_.activation_of(0), layers_->weights[0],
                                      {out_.data(), width, columns, stride_},
                                      {slope_.data(), width, columns, stride_});
    std::swap(in_, out_);
    first = 1;
  }
  for (std::size_t l = first; l < architecture_.layers(); ++l) {
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
  for (std::size_t start = 0; start < inputs.rows(); start += most_) {
    const std::size_t rows = std::min(most_, inputs.rows() - start);
    const ConstMatrix out = this->outputs(panel_of(inputs, start, rows), rows);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t o = 0; o < outputs.columns(); ++o) outputs(start + r, o) = out(o, r);
  }
}

ConstMatrix PanelPass::panel_of(ConstMatrix inputs, std::size_t start, std::size_t rows) {
  const std::size_t features = architecture_.inputs;
  gathered_.resize(stride_ * (features + 1));
  const Matrix panel(gathered_.data(), features + 1, padded(rows), stride_);
  gather(inputs, rows, [start](std::size_t j) { return start + j; },
         {panel.data(), features, panel.columns(), stride_});
  set_constant_feature(panel, rows);
  return panel;
}

MemberPasses::MemberPasses(std::span<const Network> networks, std::size_t samples) : found_(networks.size()) {
  for (const Network& network : networks) passes_.emplace_back(network, samples);
  const auto reads_like_the_first = [&](const Network& network) {
    return network.architecture().columns == networks.front().architecture().columns &&
           network.architecture().bias == networks.front().architecture().bias;
  };
  read_alike_ = networks.size() > 1 && std::ranges::all_of(networks, reads_like_the_first);
}

std::span<const ConstMatrix> MemberPasses::outputs(ConstMatrix inputs, std::size_t samples) {
  const Touch<double>* const found = read_alike_ ? passes_.front().look_up(inputs, samples) : nullptr;
  for (std::size_t m = 0; m < passes_.size(); ++m) found_[m] = passes_[m].outputs(inputs, samples, found);
  return found_;
}

void MemberPasses::predict(ConstMatrix inputs, Matrix outputs) {
  const std::size_t each = outputs.columns() / passes_.size();
  if (inputs.rows() == 1) {
    for (std::size_t m = 0; m < passes_.size(); ++m)
      passes_[m].predict_row(inputs.row(0), outputs.row(0).subspan(m * each, each));
    return;
  }
  const std::size_t most = passes_.front().most_;
  for (std::size_t start = 0; start < inputs.rows(); start += most) {
    const std::size_t rows = std::min(most, inputs.rows() - start);
    this->outputs(passes_.front().panel_of(inputs, start, rows), rows);
    for (std::size_t m = 0; m < passes_.size(); ++m)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t o = 0; o < each; ++o) outputs(start + r, m * each + o) = found_[m](o, r);
  }
}

}  // namespace strata
