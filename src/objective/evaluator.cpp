#include "objective/evaluator.h"

#include <algorithm>
#include <cmath>

#include "kernels/panel.h"

namespace strata {

Evaluator::Evaluator(const Network& network, const PackedRows& rows, const ObjectiveOptions& options)
    : network_(network),
      architecture_(network.architecture()),
      rows_(&rows),
      batch_(rows.all()),
      loss_(*options.loss),
      kernels_(options.engine == Engine::simd ? simd_kernels() : reference_kernels()),
      processes_(*options.processes),
      pool_(options.threads),
      cache_bytes_(options.cache_bytes),
      cache_(network.layers() - 1),
      tried_(network.layers() - 1),
      spaces_(pool_.threads()),
      sensitivities_(network.layers()) {
  allocate();
}

void Evaluator::select(const PackedRows& rows, Rows batch) {
  rows_ = &rows;
  batch_ = batch;
  valid_layers_ = 0;
  trial_.clear();
  allocate();
}

// Memory is prepared here and changes only with the width of the panels.
void Evaluator::allocate() {
  shares_ = rows_->shares(batch_);
  const std::size_t first = shares_.begin(processes_.rank());
  const std::size_t end = shares_.end(processes_.rank());
  first_panel_ = rows_->shard_begin(batch_, first);
  panels_ = first < end ? rows_->shard_end(batch_, end - 1) - first_panel_ : 0;
  const std::size_t hidden = network_.layers() - 1;
  std::size_t cache_entries = 0;
  for (std::size_t l = 0; l < hidden; ++l) cache_entries += architecture_.fan_in(l + 1) * rows_->stride();
  // The share of the largest process decides for all: they must count the same work.
  const std::size_t largest = (batch_.panels + shares_.processes - 1) / shares_.processes;
  caching_ = cache_entries * largest * sizeof(double) <= cache_bytes_;
  if (rows_->stride() == stride_) return;

  stride_ = rows_->stride();
  for (Activations* activations : {&cache_, &tried_})
    for (Vector& layer : *activations) layer.clear();
  std::size_t tallest = 0;
  for (std::size_t l = 0; l <= hidden; ++l) tallest = std::max(tallest, architecture_.fan_in(l));
  const std::size_t widest = architecture_.widest() * stride_;
  for (Workspace& space : spaces_) {
    space.z.resize(hidden);
    space.slope.resize(hidden);
    for (std::size_t l = 0; l < hidden; ++l) {
      // The constant feature is the last row and keeps its ones: layers write only the rows above it.
      space.z[l].assign(architecture_.fan_in(l + 1) * stride_, 1.0);
      if (stores_slope(architecture_.activation_of(l)))
        space.slope[l].resize(architecture_.width(l) * stride_);
    }
    space.out.resize(architecture_.outputs * stride_);
    space.delta.resize(widest);
    space.next_delta.resize(widest);
    space.masked.resize(tallest * stride_);
    space.row.resize(stride_);
    space.changes.resize(architecture_.outputs * stride_);
  }
}

// Made when a block first needs it, and again when a larger batch does.
void Evaluator::allocate_cache(Activations& activations) const {
  for (std::size_t l = 0; l < activations.size(); ++l) {
    const std::size_t needed = architecture_.fan_in(l + 1) * stride_ * panels_;
    if (activations[l].size() < needed) activations[l].assign(needed, 1.0);
  }
}

ConstMatrix Evaluator::Weights::layer(std::size_t l) const {
  const ConstMatrix committed = network->layer(l);
  if (l < block.first || l > block.last) return committed;
  const std::size_t offset = network->offset({l, l}) - network->offset(block);
  return {trial.data() + offset, committed.rows(), committed.columns()};
}

std::size_t Evaluator::columns(std::size_t panel) const { return padded(rows_->samples(panel)); }

Matrix Evaluator::stored(Activations& activations, std::size_t layer, std::size_t panel) const {
  const std::size_t height = architecture_.fan_in(layer + 1);
  return {activations[layer].data() + (panel - first_panel_) * height * stride_, height, columns(panel),
          stride_};
}

// What a hidden layer has given, with the constant row where the next layer wants it.
Matrix Evaluator::output_of(std::size_t layer, std::size_t panel, Workspace& space, Activations* kept) {
  if (kept) return stored(*kept, layer, panel);
  return {space.z[layer].data(), architecture_.fan_in(layer + 1), columns(panel), stride_};
}

// What enters a layer: the data, the cached input of the open block, or what has just been computed.
ConstMatrix Evaluator::input_of(std::size_t layer, std::size_t open, std::size_t panel, Workspace& space,
                                Activations* kept) {
  if (layer == 0) return {rows_->inputs(panel).data(), architecture_.fan_in(0), columns(panel), stride_};
  return output_of(layer - 1, panel, space, layer == open && caching_ ? &cache_ : kept);
}

void Evaluator::prepare_input_of(std::size_t layer) {
  if (!caching_ || layer <= valid_layers_) return;
  allocate_cache(cache_);
  const std::size_t from = valid_layers_;
  pool_.run(panels_, [&](std::size_t index, std::size_t worker) {
    const std::size_t panel = first_panel_ + index;
    Workspace& space = spaces_[worker];
    for (std::size_t l = from; l < layer; ++l) {
      const Matrix out = stored(cache_, l, panel);
      const std::size_t width = architecture_.width(l);
      kernels_.affine(architecture_.activation_of(l), network_.layer(l), input_of(l, l, panel, space),
                      {out.data(), width, out.columns(), stride_},
                      {space.slope[l].data(), width, out.columns(), stride_});
    }
  });
  work_.forward += (layer - from) * batch_.rows;
  valid_layers_ = layer;
}

void Evaluator::commit(Block block, std::span<const double> weights) {
  const bool tried = !trial_.empty() && block == trial_block_ && std::ranges::equal(weights, trial_);
  invalidate_from(block.first);
  if (!tried) return;
  for (std::size_t l = block.first; l < cache_.size(); ++l) std::swap(cache_[l], tried_[l]);
  valid_layers_ = cache_.size();
}

void Evaluator::forward(const Weights& weights, std::size_t from, std::size_t panel, Workspace& space,
                        Activations* kept) {
  const std::size_t open = weights.block.first;
  const std::size_t n = columns(panel);
  for (std::size_t l = from; l < network_.layers(); ++l) {
    const bool hidden = l + 1 < network_.layers();
    const std::size_t width = architecture_.width(l);
    double* out = hidden ? output_of(l, panel, space, kept).data() : space.out.data();
    kernels_.affine(architecture_.activation_of(l), weights.layer(l), input_of(l, open, panel, space, kept),
                    {out, width, n, stride_}, {hidden ? space.slope[l].data() : nullptr, width, n, stride_});
  }
}

// From delta of the outputs down to the block's first layer; weight gradients are added for the block's layers only.
void Evaluator::backward(const Weights& weights, std::size_t panel, Workspace& space, double* gradient) {
  const Block block = weights.block;
  const std::size_t n = columns(panel);
  for (std::size_t l = network_.layers(); l-- > block.first;) {
    const ConstMatrix w = weights.layer(l);
    const ConstMatrix delta(space.delta.data(), w.columns(), n, stride_);
    if (l <= block.last) {
      double* g = gradient + (network_.offset({l, l}) - network_.offset(block));
      kernels_.weight_gradient(input_of(l, block.first, panel, space), delta, {g, w.rows(), w.columns()});
    }
    if (l == block.first) break;
    const std::size_t width = architecture_.width(l - 1);
    kernels_.backward(
        architecture_.activation_of(l - 1), w, delta, {space.z[l - 1].data(), width, n, stride_},
        {space.slope[l - 1].data(), width, n, stride_}, {space.next_delta.data(), width, n, stride_});
    std::swap(space.delta, space.next_delta);
  }
}

double Evaluator::loss_of(Block block, std::span<const double> trial, Activations* kept) {
  const Weights weights{&network_, block, trial};
  const std::size_t from = forward_start(block.first);
  ++work_.evaluations;
  work_.forward += (network_.layers() - from) * batch_.rows;
  const double sum = over_panels({}, [&](std::size_t panel, Workspace& space, double*) {
    forward(weights, from, panel, space, kept);
    const ConstMatrix out(space.out.data(), architecture_.outputs, columns(panel), stride_);
    return loss_.value(out, rows_->targets(panel), rows_->weights(panel), rows_->samples(panel));
  });
  return sum / static_cast<double>(batch_.rows);
}

double Evaluator::try_weights(Block block, std::span<const double> trial) {
  if (!caching_) return loss_of(block, trial, nullptr);
  allocate_cache(tried_);
  trial_block_ = block;
  trial_.assign(trial.begin(), trial.end());
  return loss_of(block, trial, &tried_);
}

double Evaluator::mean_loss(Block block, std::span<const double> trial, std::span<double> gradient) {
  if (gradient.empty()) return loss_of(block, trial, nullptr);
  const Weights weights{&network_, block, trial};
  const auto rows = static_cast<double>(batch_.rows);
  const std::size_t from = forward_start(block.first);
  ++work_.evaluations;
  work_.forward += (network_.layers() - from) * batch_.rows;
  work_.backward += (network_.layers() - 1 - block.first) * batch_.rows;
  work_.weight_gradient += (block.last - block.first + 1) * batch_.rows;
  const double sum = over_panels(gradient, [&](std::size_t panel, Workspace& space, double* partial) {
    forward(weights, from, panel, space);
    const ConstMatrix out(space.out.data(), architecture_.outputs, columns(panel), stride_);
    const Matrix delta(space.delta.data(), architecture_.outputs, columns(panel), stride_);
    const double loss = loss_.value_and_delta(out, rows_->targets(panel), rows_->weights(panel),
                                              rows_->samples(panel), 1 / rows, delta);
    backward(weights, panel, space, partial);
    return loss;
  });
  return sum / rows;
}

// Padding is harmless in a gradient, where its delta is zero, but not in Z'Z. Weights enter Z'Z by their roots, which
// keeps it symmetric to the bit.
ConstMatrix Evaluator::moment_factor(ConstMatrix values, std::size_t panel, Workspace& space) {
  const std::size_t samples = rows_->samples(panel);
  if (samples == values.columns() && !rows_->weighted()) return values;
  const Matrix copy(space.masked.data(), values.rows(), values.columns(), values.stride());
  if (rows_->weighted()) {
    const auto weights = rows_->weights(panel);
    for (std::size_t j = 0; j < weights.size(); ++j) space.row[j] = std::sqrt(weights[j]);
    kernels_.scale_columns(values, space.row.data(), false, copy);
    return copy;
  }
  for (std::size_t r = 0; r < values.rows(); ++r)
    for (std::size_t j = 0; j < values.columns(); ++j) copy(r, j) = j < samples ? values(r, j) : 0;
  return copy;
}

double Evaluator::output_moments(std::span<double> sums) {
  const std::size_t last = network_.layers() - 1;
  const Weights weights{&network_, {last, last}, network_.weights(network_.output_layer())};
  const std::size_t height = architecture_.fan_in(last);
  ++work_.evaluations;
  work_.forward += (network_.layers() - forward_start(last)) * batch_.rows;
  work_.weight_gradient += batch_.rows;
  return over_panels(sums, [&](std::size_t panel, Workspace& space, double* partial) {
    forward(weights, forward_start(last), panel, space);
    const ConstMatrix out(space.out.data(), architecture_.outputs, columns(panel), stride_);
    const Matrix residual(space.delta.data(), architecture_.outputs, columns(panel), stride_);
    // delta of the squared loss is 2 E: with scale 1/2 it is E itself.
    const double squares = loss_.value_and_delta(out, rows_->targets(panel), rows_->weights(panel),
                                                 rows_->samples(panel), 0.5, residual);
    const ConstMatrix in = input_of(last, last, panel, space);
    const ConstMatrix factor = moment_factor(in, panel, space);
    kernels_.weight_gradient(factor, factor, {partial, height, height});
    kernels_.weight_gradient(in, residual, {partial + height * height, height, architecture_.outputs});
    return squares;
  });
}

}  // namespace strata
