// Gauss-Newton products by a tangent forward pass and a backward pass, for many outputs; and the loss's curvature.
// Included where evaluators' Gauss-Newton products are instantiated.
//   J v:  da_l = V_l' z_{l-1} + W_l' dz_{l-1},   dz_l = g'(a_l) da_l      J' u: back-propagation of u
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/moment_factor.h"
#include "kernels/panel.h"
#include "objective/panel_evaluator.h"
#include "strata/core/random.h"

namespace strata {

// Signs, 64 at a time, put into place by their bit: a branch would be wrong half the time.
inline void fill_with_signs(RandomStream& random, double size, std::span<double> row) {
  std::uint64_t bits = 0;
  for (std::size_t j = 0; j < row.size(); ++j, bits >>= 1U) {
    if (j % 64 == 0) bits = random.next();
    row[j] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(-size) ^ (bits << 63U));
  }
}

template <class T>
Matrix PanelEvaluator<T>::curvature(std::size_t panel, Workspace& space) {
  const std::size_t height = loss_.curvature_rows(architecture_.outputs);
  double* const start = model_is_kept_ ? curvatures_.data() + (panel - first_panel_) * height * stride_
                                       : space.wide.curvature.data();
  return {start, height, columns(panel), stride_};
}

template <class T>
void PanelEvaluator<T>::keep_curvature(std::size_t panel, Workspace& space) {
  if (loss_.constant_curvature() > 0) return;
  const ConstPanel out(space.out.data(), architecture_.outputs, columns(panel), stride_);
  loss_.curvature(in_double(out, space.wide.out), rows_->targets(panel), rows_->samples(panel),
                  curvature(panel, space));
}

template <class T>
void PanelEvaluator<T>::curvature_times(std::size_t panel, Workspace& space, Panel u) {
  const std::size_t samples = rows_->samples(panel);
  const std::span<const double> weights = rows_->weights(panel);
  const double share = 1 / static_cast<double>(batch_.rows);
  const Matrix wide(space.wide.delta.data(), u.rows(), u.columns(), stride_);
  for (std::size_t o = 0; o < u.rows(); ++o) {
    const std::span<const T> from = u.row(o).first(samples);
    const std::span<double> to = wide.row(o);
    if (weights.empty())
      for (std::size_t j = 0; j < samples; ++j) to[j] = static_cast<double>(from[j]) * share;
    else
      for (std::size_t j = 0; j < samples; ++j) to[j] = static_cast<double>(from[j]) * (weights[j] * share);
  }
  loss_.curvature_times(curvature(panel, space), samples, wide);
  for (std::size_t o = 0; o < u.rows(); ++o) {
    round_to<T>(wide.row(o).first(samples), u.row(o).data());
    std::fill(u.row(o).begin() + static_cast<std::ptrdiff_t>(samples), u.row(o).end(), T{0});
  }
}

// The factors only shape a preconditioner: with many outputs, and more rows than neurons, one combination of the root's
// columns for each row tells enough.
template <class T>
std::size_t PanelEvaluator<T>::probes() const {
  return architecture_.outputs < many_outputs ? architecture_.outputs : 1;
}

template <class T>
void PanelEvaluator<T>::fill_probe(std::size_t panel, Workspace& space, std::size_t probe) {
  const std::size_t outputs = architecture_.outputs;
  const Matrix seed(space.wide.delta.data(), outputs, columns(panel), stride_);
  if (outputs < many_outputs) {
    for (std::size_t o = 0; o < outputs; ++o)
      std::fill_n(seed.row(o).data(), seed.columns(), o == probe ? 1.0 : 0.0);
  } else {  // the same for a panel wherever and whenever it is computed
    RandomStream random = RandomStream(probe).split(panel);
    const double size = 1 / std::sqrt(static_cast<double>(probes()));
    for (std::size_t o = 0; o < outputs; ++o) fill_with_signs(random, size, seed.row(o));
  }
  if (loss_.constant_curvature() == 0) loss_.root_times(curvature(panel, space), rows_->samples(panel), seed);
}

// With `delta` the derivative of the loss with respect to the outputs.
template <class T>
void PanelEvaluator<T>::linearise_by_passes(const Weights& weights, std::size_t panel, Workspace& space,
                                            double* partial) {
  const Block block = weights.block;
  const std::size_t n = columns(panel);
  const std::size_t samples = rows_->samples(panel);
  const std::span<const double> of_rows = rows_->weights(panel);
  backward(weights, panel, space, partial, cache());
  if (block.first + 1 == network_.layers() && architecture_.outputs == 1)
    return add_weighted_gram(panel, space, partial + network_.size(block));

  double* moments = partial + network_.size(block);
  for (std::size_t l = block.first; l <= block.last; ++l) {
    layers_[l]->moments(input_of(l, block.first, panel, space, cache()), sample_weights(panel),
                        {space.masked, space.row}, moments);
    moments += layers_[l]->moments_size() + architecture_.width(l) * architecture_.width(l);
  }
  for (std::size_t probe = 0; probe < probes(); ++probe) {
    fill_probe(panel, space, probe);
    for (std::size_t o = 0; o < architecture_.outputs; ++o)
      for (std::size_t j = 0; j < n; ++j) {
        const double seed = space.wide.delta[o * stride_ + j];
        const double root = j >= samples ? 0 : of_rows.empty() ? 1 : std::sqrt(of_rows[j]);
        space.delta[o * stride_ + j] = static_cast<T>(seed * root);
      }
    double* end = moments;  // layers come from last to first
    back_through_layers(weights, panel, space, cache(), [&](std::size_t l, ConstPanel s) {
      const std::size_t width = architecture_.width(l);
      end -= width * width;
      kernels_.upper_products(s, {end, width, width});
      end -= layers_[l]->moments_size();
    });
  }
}

// sums += Z'CZ, c the curvature of each row's only output. In double precision: it will be solved with.
template <class T>
void PanelEvaluator<T>::add_weighted_gram(std::size_t panel, Workspace& space, double* sums) {
  const std::size_t last = network_.layers() - 1;
  const std::size_t samples = rows_->samples(panel);
  const std::span<const double> of_rows = rows_->weights(panel);
  const Matrix curved(space.wide.delta.data(), 1, columns(panel), stride_);
  for (std::size_t j = 0; j < columns(panel); ++j)
    curved(0, j) = j >= samples ? 0 : of_rows.empty() ? 1 : of_rows[j];
  loss_.curvature_times(curvature(panel, space), samples, curved);
  const ConstMatrix in = in_double(input_of(last, last, panel, space), space.wide.in);
  exact_output_.moments(in, {samples, curved.row(0)}, {space.wide.masked, space.wide.row}, sums);
}

template <class T>
void PanelEvaluator<T>::times_by_passes(Block block, std::span<const double> v, std::span<double> hv) {
  const std::size_t end = network_.layers();
  const std::size_t passed = end - 1 - block.first;
  // Slopes that cannot be told from activations are computed again.
  bool again = !caching_ || !model_is_kept_;
  for (std::size_t l = block.first; l + 1 < end; ++l)
    again = again || stores_slope(architecture_.activation_of(l));
  const std::size_t from = forward_start(block.first);
  work_.forward += (passed + 1 + (again ? end - from : 0)) * batch_.rows;
  work_.backward += passed * batch_.rows;
  work_.weight_gradient += (block.last - block.first + 1) * batch_.rows;

  const Weights weights = in_force(block, linearised_at_);
  const T* along = in_passes(v, direction_);
  for (std::size_t l = block.first; l < end; ++l) {
    const std::size_t offset = network_.offset({l, l}) - network_.offset(block);
    const std::size_t width = architecture_.width(l);
    if (l <= block.last)
      across_[l] = layers_[l]->tangent_form(
          weights.layer(l), {along + offset, architecture_.fan_in(l), width}, across_tables_[l]);
    if (l > block.first)
      onward_[l] = layers_[l]->tangent_form(
          weights.layer(l), {weights.layer(l).data(), architecture_.width(l - 1), width}, onward_tables_[l]);
  }
  Activations* const kept = again ? nullptr : cache();
  over_panels(hv, [&](std::size_t panel, Workspace& space, double* partial) {
    if (again) forward(weights, from, panel, space);
    if (!model_is_kept_) keep_curvature(panel, space);
    pass_tangent(block, panel, space, kept);
    const Panel changes(space.delta.data(), architecture_.outputs, columns(panel), stride_);
    curvature_times(panel, space, changes);
    backward(weights, panel, space, partial, kept);
    return 0.0;
  });
  to_weights(block, hv);
}

// `delta` becomes J v.
template <class T>
void PanelEvaluator<T>::pass_tangent(Block block, std::size_t panel, Workspace& space, Activations* kept) {
  const std::size_t n = columns(panel);
  const std::size_t last = network_.layers() - 1;
  for (std::size_t l = block.first; l <= last; ++l) {
    const std::size_t width = architecture_.width(l);
    const LayerOutput<T> given = given_by(l, panel, space, kept);
    const Panel out(space.next_delta.data(), width, n, stride_);
    const bool own = l <= block.last;
    if (own) layers_[l]->tangent(across_[l], input_of(l, block.first, panel, space, kept), given, out);
    if (l > block.first) {
      const std::size_t before = architecture_.width(l - 1);
      const Panel carried = own ? Panel(space.tangent.data(), width, n, stride_) : out;
      layers_[l]->tangent(onward_[l], {space.delta.data(), before, n, stride_}, given, carried);
      if (own)
        for (std::size_t i = 0; i < width * stride_; ++i) space.next_delta[i] += space.tangent[i];
    }
    std::swap(space.delta, space.next_delta);
  }
}

}  // namespace strata
