// Gauss-Newton products by sensitivities. With a_l = W' z and S = d output / d a_l, the row of the Jacobian that
// belongs to sample p and one output is the outer product of z_p and S_p, hence
//   J v  = column sums of (V' Z) * S          J' u = Z (u * S)'
#include <algorithm>

#include "kernels/moment_factor.h"
#include "kernels/panel.h"
#include "objective/gauss_newton_passes-inl.h"
#include "objective/panel_evaluator.h"

namespace strata {

template <class T>
void PanelEvaluator<T>::allocate_model(Block block) {
  std::size_t of_a_panel = 0;
  if (!by_passes(block))
    for (std::size_t l = block.first; l <= block.last; ++l)
      of_a_panel += architecture_.outputs * architecture_.width(l) * stride_;
  const std::size_t curvature = loss_.curvature_rows(architecture_.outputs) * stride_;
  model_is_kept_ =
      model_memory_.grow_to((of_a_panel * sizeof(T) + curvature * sizeof(double)) * most_panels_);
  if (model_is_kept_) {
    make_room(sensitivities_, of_a_panel * panels_);
    make_room(curvatures_, curvature * panels_);
    return;
  }
  for (Workspace& space : spaces_) {
    make_room(space.sensitivities, of_a_panel);
    make_room(space.wide.curvature, curvature);
  }
}

template <class T>
auto PanelEvaluator<T>::sensitivity(std::size_t layer, std::size_t output, std::size_t panel,
                                    Workspace& space) -> Panel {
  std::size_t before = 0;  // widths of the layers before this one
  for (std::size_t l = linearised_.first; l < layer; ++l) before += architecture_.width(l);
  const std::size_t outputs = architecture_.outputs;
  const std::size_t width = architecture_.width(layer);
  T* const start =
      model_is_kept_
          ? sensitivities_.data() + (before * panels_ + width * (panel - first_panel_)) * outputs * stride_
          : space.sensitivities.data() + before * outputs * stride_;
  return {start + output * width * stride_, width, columns(panel), stride_};
}

// From d output / d output = 1 down to the block's first layer, by the backward kernel; zero in the padding.
template <class T>
void PanelEvaluator<T>::propagate_sensitivity(const Weights& weights, std::size_t output, std::size_t panel,
                                              Workspace& space) {
  const Block block = weights.block;
  const std::size_t n = columns(panel);
  const std::size_t last = network_.layers() - 1;
  Panel s = block.last == last ? sensitivity(last, output, panel, space)
                               : Panel(space.delta.data(), architecture_.outputs, n, stride_);
  for (std::size_t o = 0; o < s.rows(); ++o)
    for (std::size_t j = 0; j < n; ++j) s(o, j) = o == output && j < rows_->samples(panel) ? 1 : 0;
  for (std::size_t l = last; l > block.first; --l) {
    const Panel out = l - 1 <= block.last
                          ? sensitivity(l - 1, output, panel, space)
                          : Panel(space.next_delta.data(), architecture_.width(l - 1), n, stride_);
    layers_[l]->backward(weights.layer(l), s, given_by(l - 1, panel, space, cache()), out);
    s = out;
    std::swap(space.delta, space.next_delta);
  }
}

// Activations that are in the cache need not be computed again, unless their slopes cannot be told from them.
template <class T>
std::size_t PanelEvaluator<T>::first_to_linearise(std::size_t open) const {
  if (!caching_) return 0;
  for (std::size_t l = open; l < valid_layers_; ++l)
    if (stores_slope(architecture_.activation_of(l))) return l;
  return std::max(open, valid_layers_);
}

template <class T>
double PanelEvaluator<T>::linearise(Block block, std::span<const double> at, std::span<double> sums) {
  const Weights weights = in_force(block, at);
  const auto rows = static_cast<double>(batch_.rows);
  const std::size_t layers = block.last - block.first + 1;
  const std::size_t seeds = by_passes(block) ? probes() + 1 : architecture_.outputs;
  linearised_ = block;
  linearised_at_.assign(at.begin(), at.end());
  if (use_cache()) allocate_cache(cache_);
  allocate_model(block);
  const std::size_t from = first_to_linearise(block.first);

  ++work_.evaluations;
  work_.forward += (network_.layers() - from) * batch_.rows;
  work_.backward += seeds * (network_.layers() - 1 - block.first) * batch_.rows;
  work_.weight_gradient += 3 * layers * batch_.rows;
  const double sum = over_panels(sums, [&](std::size_t panel, Workspace& space, double* partial) {
    forward(weights, from, panel, space, cache());
    if (!by_passes(block))
      for (std::size_t m = 0; m < architecture_.outputs; ++m) propagate_sensitivity(weights, m, panel, space);
    const double loss = panel_delta(panel, space, 1 / rows);
    keep_curvature(panel, space);
    if (by_passes(block))
      linearise_by_passes(weights, panel, space, partial);
    else
      linearise_by_sensitivities(weights, panel, space, partial);
    return loss;
  });
  to_weights(block, sums.first(network_.size(block)));
  double* moments = sums.data() + network_.size(block);
  for (std::size_t l = block.first; l <= block.last; ++l) {
    const std::size_t width = architecture_.width(l);
    layers_[l]->finish_moments(moments);
    moments += layers_[l]->moments_size();
    fill_below_the_diagonal({moments, width, width});
    moments += width * width;
  }
  if (caching_) valid_layers_ = cache_.size();
  return sum / rows;
}

// With `delta` the derivative of the loss with respect to the outputs; `next_delta` becomes that with respect to a_l.
template <class T>
void PanelEvaluator<T>::linearise_by_sensitivities(const Weights& weights, std::size_t panel,
                                                   Workspace& space, double* partial) {
  const Block block = weights.block;
  const std::size_t outputs = architecture_.outputs;
  const std::size_t n = columns(panel);
  const bool constant = loss_.constant_curvature() > 0;
  const ConstPanel residual(space.delta.data(), outputs, n, stride_);
  const auto factor = [&](ConstPanel values) {
    return moment_factor(values, rows_->weights(panel), rows_->samples(panel), space.masked, space.row);
  };
  double* gradient = partial;
  double* moments = partial + network_.size(block);
  for (std::size_t l = block.first; l <= block.last; ++l) {
    const std::size_t height = architecture_.fan_in(l);
    const std::size_t width = architecture_.width(l);
    const Panel delta(space.next_delta.data(), width, n, stride_);
    for (std::size_t m = 0; m < outputs; ++m)
      kernels_.scale_columns(sensitivity(l, m, panel, space), residual.row(m).data(), m > 0, delta);
    const ConstPanel in = input_of(l, l, panel, space);
    layers_[l]->gradient(weights.layer(l), in, delta, {gradient, height, width});
    gradient += height * width;
    layers_[l]->moments(in, sample_weights(panel), {space.masked, space.row}, moments);
    moments += layers_[l]->moments_size();
    for (std::size_t m = 0; m < outputs; ++m) {
      const ConstPanel s = factor(constant ? sensitivity(l, m, panel, space) : rooted(l, m, panel, space));
      kernels_.upper_products(s, {moments, width, width});
    }
    moments += width * width;
  }
}

// Column `m` of the curvature's root, taken back to a_l: a combination of the sensitivities.
template <class T>
auto PanelEvaluator<T>::rooted(std::size_t layer, std::size_t m, std::size_t panel, Workspace& space)
    -> Panel {
  fill_probe(panel, space, m);
  const Panel out(space.tangent.data(), architecture_.width(layer), columns(panel), stride_);
  for (std::size_t o = 0; o < architecture_.outputs; ++o) {
    round_to<T>({space.wide.delta.data() + o * stride_, columns(panel)}, space.row.data());
    kernels_.scale_columns(sensitivity(layer, o, panel, space), space.row.data(), o > 0, out);
  }
  return out;
}

template <class T>
void PanelEvaluator<T>::gauss_newton_times(Block block, std::span<const double> v, std::span<double> hv) {
  if (by_passes(block)) return times_by_passes(block, v, hv);
  times_by_sensitivities(block, v, hv);
}

template <class T>
void PanelEvaluator<T>::times_by_sensitivities(Block block, std::span<const double> v, std::span<double> hv) {
  const std::size_t outputs = architecture_.outputs;
  const std::size_t layers = block.last - block.first + 1;
  const double constant = loss_.constant_curvature();
  const T scale = static_cast<T>(constant / static_cast<double>(batch_.rows));
  const bool again = !model_is_kept_;  // every product computes S of one panel after the other
  const std::size_t from = first_to_linearise(block.first);
  work_.forward += layers * batch_.rows;
  if (again) {
    work_.forward += (network_.layers() - from) * batch_.rows;
    work_.backward += outputs * (network_.layers() - 1 - block.first) * batch_.rows;
  } else if (!caching_) {
    work_.forward += block.last * batch_.rows;
  }
  work_.weight_gradient += layers * batch_.rows;
  const auto offset = [&](std::size_t l) { return network_.offset({l, l}) - network_.offset(block); };
  // Where a layer is linear in its weights, a product needs none of them: reading tables would take a part of its time.
  const bool needed = again || !caching_ || architecture_.is_radial(block.first);
  const Weights weights = needed ? in_force(block, linearised_at_) : Weights{};
  const T* along = in_passes(v, direction_);
  for (std::size_t l = block.first; l <= block.last; ++l)
    directions_[l] = layers_[l]->direction(
        weights.layer(l), {along + offset(l), architecture_.fan_in(l), architecture_.width(l)},
        direction_tables_[l]);
  over_panels(hv, [&](std::size_t panel, Workspace& space, double* partial) {
    const std::size_t n = columns(panel);
    if (again) {
      forward(weights, from, panel, space, cache());
      for (std::size_t m = 0; m < outputs; ++m) propagate_sensitivity(weights, m, panel, space);
      keep_curvature(panel, space);
    } else if (!caching_) {
      recompute_input(weights, block.last, panel, space);
    }
    const Panel changes(space.changes.data(), outputs, n, stride_);
    std::fill_n(changes.data(), outputs * stride_, T{0});
    for (std::size_t l = block.first; l <= block.last; ++l) {
      const Panel moved(space.delta.data(), architecture_.width(l), n, stride_);
      layers_[l]->change(directions_[l], input_of(l, l, panel, space), moved);
      for (std::size_t m = 0; m < outputs; ++m) {
        kernels_.column_dots(sensitivity(l, m, panel, space), moved, space.row.data());
        for (std::size_t j = 0; j < n; ++j)
          changes(m, j) += constant > 0 ? scale * space.row[j] : space.row[j];
      }
    }
    if (constant == 0)
      curvature_times(panel, space, changes);
    else if (const std::span<const double> of_rows = rows_->weights(panel); !of_rows.empty())
      for (std::size_t m = 0; m < outputs; ++m)
        for (std::size_t j = 0; j < of_rows.size(); ++j) changes(m, j) *= static_cast<T>(of_rows[j]);
    for (std::size_t l = block.first; l <= block.last; ++l) {
      const Panel back(space.next_delta.data(), architecture_.width(l), n, stride_);
      for (std::size_t m = 0; m < outputs; ++m)
        kernels_.scale_columns(sensitivity(l, m, panel, space), changes.row(m).data(), m > 0, back);
      layers_[l]->gradient(weights.layer(l), input_of(l, l, panel, space), back,
                           {partial + offset(l), architecture_.fan_in(l), architecture_.width(l)});
    }
    return 0.0;
  });
  to_weights(block, hv);
}

// Without a cache, the layer's input comes from a forward pass over the layers before it.
template double PanelEvaluator<double>::linearise(Block, std::span<const double>, std::span<double>);
template double PanelEvaluator<float>::linearise(Block, std::span<const double>, std::span<double>);
template void PanelEvaluator<double>::gauss_newton_times(Block, std::span<const double>, std::span<double>);
template void PanelEvaluator<float>::gauss_newton_times(Block, std::span<const double>, std::span<double>);

}  // namespace strata
