// What an evaluator keeps: workspaces, caches, and weights and rows in its own precision. Included where it is instantiated.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kernels/panel.h"
#include "objective/panel_evaluator.h"

namespace strata {

// Memory is prepared here and changes only with the width of the panels.
template <class T>
void PanelEvaluator<T>::allocate() {
  shares_ = rows_->shares(batch_);
  const std::size_t first = shares_.begin(processes_.rank());
  const std::size_t end = shares_.end(processes_.rank());
  first_panel_ = rows_->shard_begin(batch_, first);
  panels_ = first < end ? rows_->shard_end(batch_, end - 1) - first_panel_ : 0;
  const std::size_t hidden = network_.layers() - 1;
  most_panels_ = 0;
  for (std::size_t process = 0; process < shares_.processes; ++process)
    most_panels_ = std::max(most_panels_, rows_->shard_begin(batch_, shares_.end(process)) -
                                              rows_->shard_begin(batch_, shares_.begin(process)));
  const std::size_t stride = padded<T>(rows_->stride());
  caching_ = cache_is_decided_ = false;
  if (stride == stride_) return;

  stride_ = stride;
  for (Activations* activations : {&cache_, &tried_})
    for (Values& layer : *activations) layer.clear();
  std::size_t tallest = 0;
  for (std::size_t l = 0; l <= hidden; ++l) tallest = std::max(tallest, architecture_.input_rows(l));
  const std::size_t widest = architecture_.widest() * stride_;
  for (Workspace& space : spaces_) {
    space.z.resize(hidden);
    space.slope.resize(hidden);
    for (std::size_t l = 0; l < hidden; ++l) {
      // The constant feature is the last row and keeps its ones: layers write only the rows above it.
      space.z[l].assign(architecture_.input_rows(l + 1) * stride_, T{1});
      if (stores_slope(architecture_.activation_of(l)))
        space.slope[l].resize(architecture_.width(l) * stride_);
    }
    space.out.resize(architecture_.outputs * stride_);
    space.delta.resize(widest);
    space.next_delta.resize(widest);
    space.masked.resize(tallest * stride_);
    space.row.resize(stride_);
    space.changes.resize(architecture_.outputs * stride_);
    space.tangent.resize(widest);
    space.wide.out.resize(architecture_.outputs * stride_);
    space.wide.delta.resize(architecture_.outputs * stride_);
    space.wide.in.resize(tallest * stride_);
    space.wide.masked.resize(tallest * stride_);
    space.wide.row.resize(stride_);
  }
}

template <class T>
std::size_t PanelEvaluator<T>::cache_bytes() const {
  std::size_t entries = 0;
  for (std::size_t l = 0; l + 1 < network_.layers(); ++l)
    entries += architecture_.input_rows(l + 1) * stride_;
  return entries * most_panels_ * sizeof(T);
}

template <class T>
bool PanelEvaluator<T>::use_cache() {
  if (!std::exchange(cache_is_decided_, true)) caching_ = cache_memory_.grow_to(cache_bytes());
  return caching_;
}

// Made when a block first needs it, and again when a larger batch does.
template <class T>
void PanelEvaluator<T>::allocate_cache(Activations& activations) const {
  for (std::size_t l = 0; l < activations.size(); ++l)
    make_room(activations[l], architecture_.input_rows(l + 1) * stride_ * panels_, T{1});
}

// Rounding all weights takes a few hundredths of a pass over 32 rows, less over more.
template <class T>
auto PanelEvaluator<T>::in_force(Block block, std::span<const double> trial) -> Weights {
  if constexpr (!std::is_same_v<T, double>) round_inputs();
  const T* const inside = in_passes(trial, rounded_trial_);
  const bool is_whole = trial.size() == network_.size();
  const T* const outside = is_whole ? inside : in_passes(network_.weights(), rounded_);
  for (std::size_t l = 0; l < network_.layers(); ++l) {
    const ConstMatrix shape = network_.layer(l);
    const std::size_t offset = network_.offset({l, l});
    const bool replaced = l >= block.first && l <= block.last;
    const T* const start = replaced ? inside + (offset - network_.offset(block)) : outside + offset;
    weights_[l] = layers_[l]->as_read({start, shape.rows(), shape.columns()}, tables_[l]);
  }
  return {block, weights_};
}

template <class T>
void PanelEvaluator<T>::to_weights(Block block, std::span<double> gradient) const {
  for (std::size_t l = block.first; l <= block.last; ++l)
    layers_[l]->to_weights({gradient.data() + (network_.offset({l, l}) - network_.offset(block)),
                            architecture_.fan_in(l), architecture_.width(l)});
}

// The batch's rows in T, once for all passes over them; not before one is made, because the first selection may be all
// rows, of which a method with minibatches makes none.
template <class T>
void PanelEvaluator<T>::round_inputs() {
  if (std::exchange(inputs_are_rounded_, true)) return;
  const std::size_t height = architecture_.input_rows(0);
  static_cast<void>(
      input_memory_.grow_to(most_panels_ * height * stride_ * sizeof(T)));  // less than the rows
  make_room(inputs_, panels_ * height * stride_);
  for (std::size_t index = 0; index < panels_; ++index) {
    const ConstMatrix from = rows_->inputs(first_panel_ + index, spaces_.front().packed);
    const std::size_t n = columns(first_panel_ + index);
    for (std::size_t f = 0; f < height; ++f) {
      T* to = inputs_.data() + (index * height + f) * stride_;
      round_to(from.row(f), to);
      std::fill(to + from.columns(), to + n, T{0});
    }
  }
  const std::size_t look_ups = layers_[0]->look_up_bytes() * stride_;
  if (look_ups > 0)
    layers_[0]->keep_look_ups(inputs_.data(), look_up_memory_.grow_to(most_panels_ * look_ups) ? panels_ : 0,
                              height, stride_);
}

template <class T>
std::size_t PanelEvaluator<T>::columns(std::size_t panel) const {
  return padded<T>(rows_->samples(panel));
}

template <class T>
auto PanelEvaluator<T>::stored(Activations& activations, std::size_t layer, std::size_t panel) const
    -> Panel {
  const std::size_t height = architecture_.input_rows(layer + 1);
  return {activations[layer].data() + (panel - first_panel_) * height * stride_, height, columns(panel),
          stride_};
}

// What a hidden layer has given, with the constant row where the next layer wants it.
template <class T>
auto PanelEvaluator<T>::output_of(std::size_t layer, std::size_t panel, Workspace& space, Activations* kept)
    -> Panel {
  if (kept) return stored(*kept, layer, panel);
  return {space.z[layer].data(), architecture_.input_rows(layer + 1), columns(panel), stride_};
}

template <class T>
auto PanelEvaluator<T>::given_by(std::size_t layer, std::size_t panel, Workspace& space, Activations* kept)
    -> LayerOutput<T> {
  if (layer + 1 == network_.layers()) return {};
  const std::size_t width = architecture_.width(layer);
  return {architecture_.activation_of(layer),
          {output_of(layer, panel, space, kept).data(), width, columns(panel), stride_},
          {space.slope[layer].data(), width, columns(panel), stride_}};
}

// What enters a layer: the data, the cached input of the open block, or what has just been computed.
template <class T>
auto PanelEvaluator<T>::input_of(std::size_t layer, std::size_t open, std::size_t panel, Workspace& space,
                                 Activations* kept) -> ConstPanel {
  if (layer == 0) {
    const std::size_t height = architecture_.input_rows(0);
    if constexpr (std::is_same_v<T, double>)
      return {rows_->inputs(panel, space.packed).data(), height, columns(panel), stride_};
    else
      return {inputs_.data() + (panel - first_panel_) * height * stride_, height, columns(panel), stride_};
  }
  return output_of(layer - 1, panel, space, layer == open && caching_ ? &cache_ : kept);
}

}  // namespace strata
