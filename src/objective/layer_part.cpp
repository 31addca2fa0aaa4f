// Some neurons of a hidden layer. With all others as they are, what enters the activation of the next layer changes by W' dz: dz is
// the change of what these neurons give, W their rows of the next layer's weights. A trial therefore passes the rows through the
// neurons' own weights, through that product and through the layers after it, and not through the layer.
//
// The sums that W' dz is added to are formed from the network's weights whenever a part is opened, never carried on from an earlier
// one: the bits of a run then depend on weights alone, and one that is resumed has the same.
#include <algorithm>
#include <functional>

#include "kernels/lookup.h"
#include "objective/panel_storage-inl.h"

namespace strata {

namespace {

// Of a panel, or of the next layer's weights: the rows that are the part's neurons.
template <class T>
MatrixView<T> rows_of(Block part, MatrixView<T> all) {
  return {all.data() + part.neuron * all.stride(), part.neurons, all.columns(), all.stride()};
}

}  // namespace

template <class T>
void PanelEvaluator<T>::prepare_part(Block part) {
  const std::size_t next = part.first + 1;
  prepare_input_of(next);
  const std::size_t entries = architecture_.width(next) * stride_;
  sums_are_kept_ = use_cache() && sums_memory_.grow_to(entries * most_panels_ * sizeof(T));
  if (!sums_are_kept_) return;
  make_room(sums_after_, entries * panels_);
  const Weights weights = network_weights();
  pool_.run(panels_, [&](std::size_t index, std::size_t worker) {
    fill_sums_after(weights, part.first, first_panel_ + index, spaces_[worker]);
  });
  work_.forward += batch_.rows;
}

template <class T>
auto PanelEvaluator<T>::sums_after(std::size_t layer, std::size_t panel, Workspace& space) -> Panel {
  const std::size_t width = architecture_.width(layer + 1);
  T* const kept = sums_after_.data() + (panel - first_panel_) * width * stride_;
  return {sums_are_kept_ ? kept : space.tangent.data(), width, columns(panel), stride_};
}

template <class T>
void PanelEvaluator<T>::fill_sums_after(const Weights& weights, std::size_t layer, std::size_t panel,
                                        Workspace& space) {
  const std::size_t next = layer + 1;
  layers_[next]->forward(Activation::linear, weights.layer(next), input_of(next, next, panel, space),
                         sums_after(layer, panel, space), {});
}

template <class T>
auto PanelEvaluator<T>::as_read(Block part, std::span<const double> weights) -> ConstPanel {
  return layers_[part.first]->as_read(
      {in_passes(weights, rounded_part_), architecture_.fan_in(part.first), part.neurons}, part_table_);
}

template <class T>
void PanelEvaluator<T>::forward_part(const Weights& weights, Block part, ConstPanel own, std::size_t panel,
                                     Workspace& space) {
  const std::size_t layer = part.first;
  const std::size_t next = layer + 1;
  const std::size_t n = columns(panel);
  if (!caching_) recompute_input(weights, next, panel, space);
  if (!sums_are_kept_) fill_sums_after(weights, layer, panel, space);

  const Panel z = tried_neurons(part, panel, space);
  layers_[layer]->forward(architecture_.activation_of(layer), own, input_of(layer, layer, panel, space), z,
                          tried_slopes(part, panel, space));
  const ConstPanel before = rows_of(part, ConstPanel(output_of(layer, panel, space, cache())));
  const Panel change(space.delta.data(), part.neurons, n, stride_);
  for (std::size_t k = 0; k < part.neurons; ++k)
    std::ranges::transform(z.row(k), before.row(k), change.row(k).begin(), std::minus<>());

  const bool hidden = next + 1 < network_.layers();
  const std::size_t width = architecture_.width(next);
  const Panel out(hidden ? space.z[next].data() : space.out.data(), width, n, stride_);
  kernels_.affine(Activation::linear, rows_of(part, weights.layer(next)), change, out, {});
  const ConstPanel sums = sums_after(layer, panel, space);
  for (std::size_t k = 0; k < width; ++k)
    std::ranges::transform(sums.row(k), out.row(k), out.row(k).begin(), std::plus<>());
  if (hidden)
    lookup_beside(kernels_).activate(architecture_.activation_of(next), out,
                                     {space.slope[next].data(), width, n, stride_});
  forward(weights, next + 1, panel, space);
}

// Weight gradients of the part are added, from delta of the outputs.
template <class T>
void PanelEvaluator<T>::backward_part(const Weights& weights, Block part, ConstPanel own, std::size_t panel,
                                      Workspace& space, double* gradient) {
  const std::size_t layer = part.first;
  const std::size_t next = layer + 1;
  const Weights after{{next, next}, weights.layers};
  back_through_layers(after, panel, space, nullptr, [&](std::size_t, ConstPanel delta) {
    const Panel of_part(space.next_delta.data(), part.neurons, columns(panel), stride_);
    kernels_.backward(architecture_.activation_of(layer), rows_of(part, weights.layer(next)), delta,
                      tried_neurons(part, panel, space), tried_slopes(part, panel, space), of_part);
    layers_[layer]->gradient(own, input_of(layer, layer, panel, space), of_part,
                             {gradient, architecture_.fan_in(layer), part.neurons});
  });
}

template <class T>
double PanelEvaluator<T>::loss_of_part(Block part, std::span<const double> trial,
                                       std::span<double> gradient) {
  const Weights weights = network_weights();
  const ConstPanel own = as_read(part, trial);
  const auto rows = static_cast<double>(batch_.rows);
  const std::size_t next = part.first + 1;
  const std::size_t after = network_.layers() - 1 - next;  // layers after the next
  ++work_.evaluations;
  work_.forward +=
      2 * share_of(part) + (after + next - forward_start(next) + (sums_are_kept_ ? 0 : 1)) * batch_.rows;
  if (!gradient.empty()) {
    work_.backward += share_of(part) + after * batch_.rows;
    work_.weight_gradient += share_of(part);
  }
  const double sum = over_panels(gradient, [&](std::size_t panel, Workspace& space, double* partial) {
    forward_part(weights, part, own, panel, space);
    if (gradient.empty()) return panel_loss(panel, space);
    const double loss = panel_delta(panel, space, 1 / rows);
    backward_part(weights, part, own, panel, space, partial);
    return loss;
  });
  if (!gradient.empty())
    layers_[part.first]->to_weights({gradient.data(), architecture_.fan_in(part.first), part.neurons});
  return sum / rows;
}

// The other neurons of the layer give what they gave.
template <class T>
void PanelEvaluator<T>::commit_part(Block part, std::span<const double> weights) {
  const std::size_t layer = part.first;
  const bool known = caching_ && valid_layers_ > layer;
  invalidate_from(known ? layer + 1 : layer);
  if (!known) return;
  const ConstPanel own = as_read(part, weights);
  pool_.run(panels_, [&](std::size_t index, std::size_t worker) {
    const std::size_t panel = first_panel_ + index;
    Workspace& space = spaces_[worker];
    layers_[layer]->forward(architecture_.activation_of(layer), own, input_of(layer, layer, panel, space),
                            rows_of(part, stored(cache_, layer, panel)), tried_slopes(part, panel, space));
  });
  work_.forward += share_of(part);
}

template void PanelEvaluator<double>::prepare_part(Block);
template void PanelEvaluator<float>::prepare_part(Block);
template double PanelEvaluator<double>::loss_of_part(Block, std::span<const double>, std::span<double>);
template double PanelEvaluator<float>::loss_of_part(Block, std::span<const double>, std::span<double>);
template void PanelEvaluator<double>::commit_part(Block, std::span<const double>);
template void PanelEvaluator<float>::commit_part(Block, std::span<const double>);

}  // namespace strata
