#include "objective/panel_evaluator.h"

#include <algorithm>

#include "objective/panel_storage-inl.h"

namespace strata {

template <class T>
PanelEvaluator<T>::PanelEvaluator(const Network& network, const PackedRows& rows,
                                  const ObjectiveOptions& options)
    : network_(network),
      architecture_(network.architecture()),
      rows_(&rows),
      batch_(rows.all()),
      loss_(*options.loss),
      kernels_(options.kernels == KernelSet::simd ? simd_kernels<T>() : reference_kernels<T>()),
      layers_(make_layer_passes(network.architecture(), kernels_)),
      exact_output_(options.kernels == KernelSet::simd ? simd_kernels() : reference_kernels(),
                    network.architecture().fan_in(network.layers() - 1)),
      processes_(rows.engine().processes()),
      pool_(rows.engine().threads()),
      cache_(network.layers() - 1),
      tried_(network.layers() - 1),
      spaces_(pool_.threads()),
      cache_memory_(rows.engine().memory()),
      tried_memory_(rows.engine().memory()),
      model_memory_(rows.engine().memory()),
      input_memory_(rows.engine().memory()),
      look_up_memory_(rows.engine().memory()),
      sums_memory_(rows.engine().memory()),
      tables_(network.layers()),
      direction_tables_(network.layers()),
      weights_(network.layers()),
      directions_(network.layers()),
      across_tables_(network.layers()),
      onward_tables_(network.layers()),
      across_(network.layers()),
      onward_(network.layers()) {
  allocate();
}

template <class T>
void PanelEvaluator<T>::select(const PackedRows& rows, Rows batch) {
  rows_ = &rows;
  batch_ = batch;
  valid_layers_ = 0;
  trial_.clear();
  inputs_are_rounded_ = false;
  allocate();
}

template <class T>
void PanelEvaluator<T>::prepare_input_of(std::size_t layer) {
  if (layer <= valid_layers_ || !use_cache()) return;
  allocate_cache(cache_);
  const std::size_t from = valid_layers_;
  const Weights weights = network_weights();
  pool_.run(panels_, [&](std::size_t index, std::size_t worker) {
    const std::size_t panel = first_panel_ + index;
    Workspace& space = spaces_[worker];
    for (std::size_t l = from; l < layer; ++l)
      run_layer(weights, l, panel, input_of(l, l, panel, space), stored(cache_, l, panel).data(), space);
  });
  work_.forward += (layer - from) * batch_.rows;
  valid_layers_ = layer;
}

template <class T>
void PanelEvaluator<T>::commit(Block block, std::span<const double> weights) {
  if (block.is_part()) return commit_part(block, weights);
  const bool tried = !trial_.empty() && block == trial_block_ && std::ranges::equal(weights, trial_);
  invalidate_from(block.first);
  if (!tried) return;
  for (std::size_t l = block.first; l < cache_.size(); ++l) std::swap(cache_[l], tried_[l]);
  valid_layers_ = cache_.size();
}

template <class T>
void PanelEvaluator<T>::forward(const Weights& weights, std::size_t from, std::size_t panel, Workspace& space,
                                Activations* kept) {
  for (std::size_t l = from; l < network_.layers(); ++l) {
    const bool hidden = l + 1 < network_.layers();
    run_layer(weights, l, panel, input_of(l, weights.block.first, panel, space, kept),
              hidden ? output_of(l, panel, space, kept).data() : space.out.data(), space);
  }
}

template <class T>
void PanelEvaluator<T>::recompute_input(const Weights& weights, std::size_t layer, std::size_t panel,
                                        Workspace& space) {
  for (std::size_t l = 0; l < layer; ++l)
    run_layer(weights, l, panel, input_of(l, layer, panel, space), space.z[l].data(), space);
}

template <class T>
void PanelEvaluator<T>::run_layer(const Weights& weights, std::size_t layer, std::size_t panel, ConstPanel in,
                                  T* out, Workspace& space) const {
  const std::size_t n = columns(panel);
  const std::size_t width = architecture_.width(layer);
  T* const slope = layer < space.slope.size() ? space.slope[layer].data() : nullptr;
  layers_[layer]->forward(architecture_.activation_of(layer), weights.layer(layer), in,
                          {out, width, n, stride_}, {slope, width, n, stride_});
}

// Weight gradients of the block's layers are added, from delta of the outputs.
template <class T>
void PanelEvaluator<T>::backward(const Weights& weights, std::size_t panel, Workspace& space,
                                 double* gradient, Activations* kept) {
  const Block block = weights.block;
  back_through_layers(weights, panel, space, kept, [&](std::size_t l, ConstPanel delta) {
    double* g = gradient + (network_.offset({l, l}) - network_.offset(block));
    layers_[l]->gradient(weights.layer(l), input_of(l, block.first, panel, space, kept), delta,
                         {g, architecture_.fan_in(l), architecture_.width(l)});
  });
}

// The loss itself is computed in double precision.
template <class T>
double PanelEvaluator<T>::panel_loss(std::size_t panel, Workspace& space) {
  const ConstPanel out(space.out.data(), architecture_.outputs, columns(panel), stride_);
  return loss_.value(in_double(out, space.wide.out), rows_->targets(panel), rows_->weights(panel),
                     rows_->samples(panel));
}

template <class T>
double PanelEvaluator<T>::panel_delta(std::size_t panel, Workspace& space, double scale) {
  const ConstPanel out(space.out.data(), architecture_.outputs, columns(panel), stride_);
  const Matrix delta(space.wide.delta.data(), architecture_.outputs, columns(panel), stride_);
  const double loss = loss_.value_and_delta(in_double(out, space.wide.out), rows_->targets(panel),
                                            rows_->weights(panel), rows_->samples(panel), scale, delta);
  for (std::size_t o = 0; o < delta.rows(); ++o) round_to<T>(delta.row(o), space.delta.data() + o * stride_);
  return loss;
}

template <class T>
double PanelEvaluator<T>::loss_of(Block block, std::span<const double> trial, Activations* kept) {
  const Weights weights = in_force(block, trial);
  const std::size_t from = forward_start(block.first);
  ++work_.evaluations;
  work_.forward += (network_.layers() - from) * batch_.rows;
  const double sum = over_panels({}, [&](std::size_t panel, Workspace& space, double*) {
    forward(weights, from, panel, space, kept);
    return panel_loss(panel, space);
  });
  return sum / static_cast<double>(batch_.rows);
}

template <class T>
double PanelEvaluator<T>::try_weights(Block block, std::span<const double> trial) {
  trial_.clear();
  if (!use_cache() || !tried_memory_.grow_to(cache_bytes())) return loss_of(block, trial, nullptr);
  allocate_cache(tried_);
  trial_block_ = block;
  trial_.assign(trial.begin(), trial.end());
  return loss_of(block, trial, &tried_);
}

template <class T>
double PanelEvaluator<T>::mean_loss(Block block, std::span<const double> trial, std::span<double> gradient) {
  if (block.is_part()) return loss_of_part(block, trial, gradient);
  if (gradient.empty()) return loss_of(block, trial, nullptr);
  const Weights weights = in_force(block, trial);
  const auto rows = static_cast<double>(batch_.rows);
  const std::size_t from = forward_start(block.first);
  ++work_.evaluations;
  work_.forward += (network_.layers() - from) * batch_.rows;
  work_.backward += (network_.layers() - 1 - block.first) * batch_.rows;
  work_.weight_gradient += (block.last - block.first + 1) * batch_.rows;
  const double sum = over_panels(gradient, [&](std::size_t panel, Workspace& space, double* partial) {
    forward(weights, from, panel, space);
    const double loss = panel_delta(panel, space, 1 / rows);
    backward(weights, panel, space, partial);
    return loss;
  });
  to_weights(block, gradient);
  return sum / rows;
}

template <class T>
double PanelEvaluator<T>::output_moments(std::span<double> sums) {
  const std::size_t last = network_.layers() - 1;
  const Weights weights = in_force({last, last}, network_.weights(network_.output_layer()));
  const std::size_t height = architecture_.fan_in(last);
  ++work_.evaluations;
  work_.forward += (network_.layers() - forward_start(last)) * batch_.rows;
  work_.weight_gradient += batch_.rows;
  const double to_residual = 1 / loss_.constant_curvature();  // delta is the curvature times E
  const double total = over_panels(sums, [&](std::size_t panel, Workspace& space, double* partial) {
    forward(weights, forward_start(last), panel, space);
    const double loss = panel_delta(panel, space, to_residual);
    const ConstMatrix residual(space.wide.delta.data(), architecture_.outputs, columns(panel), stride_);
    // Z'Z will be solved with: rounded sums would spoil its small eigenvalues.
    const ConstMatrix in = in_double(input_of(last, last, panel, space), space.wide.in);
    exact_output_.moments(in, sample_weights(panel), {space.wide.masked, space.wide.row}, partial);
    exact_output_.gradient({}, in, residual, {partial + height * height, height, architecture_.outputs});
    return loss;
  });
  exact_output_.finish_moments(sums.data());
  return total;
}

template class PanelEvaluator<double>;
template class PanelEvaluator<float>;

std::unique_ptr<Evaluator> make_evaluator(const Network& network, const PackedRows& rows,
                                          const ObjectiveOptions& options) {
  if (options.precision == Precision::float32)
    return std::make_unique<PanelEvaluator<float>>(network, rows, options);
  return std::make_unique<PanelEvaluator<double>>(network, rows, options);
}

}  // namespace strata
