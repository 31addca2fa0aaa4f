#include "strata/objective/objective.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "kernels/steps.h"
#include "objective/evaluator.h"
#include "objective/gram.h"
#include "strata/core/errors.h"

namespace strata {

namespace {
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
}

Objective::Objective(Network& network, const PackedRows& rows, const ObjectiveOptions& options)
    : network_(&network), options_(options), layer_norms_(network.layers()) {
  if (!(options.l2 >= 0) || std::isinf(options.l2))
    throw InvalidOption("l2", std::to_string(options.l2), "use a finite number, 0 or more");
  const Architecture& architecture = network.architecture();
  if (rows.features() != architecture.inputs)
    throw InvalidOption(
        "inputs", std::to_string(architecture.inputs),
        "the data have " + std::to_string(rows.features()) + " features; make the network's inputs agree");
  if (const std::size_t wanted = options.loss->outputs(rows.outputs()); wanted != architecture.outputs)
    throw InvalidOption("outputs", std::to_string(architecture.outputs),
                        "the loss " + options.loss->text() + " needs " + std::to_string(wanted) +
                            " for the targets of the data; make the network's outputs agree");
  evaluator_ = make_evaluator(network, rows, options);
  for (std::size_t l = 0; l < network.layers(); ++l) moment_parts_.push_back(moment_parts(architecture, l));
  refresh();
}

Objective::~Objective() = default;
Objective::Objective(Objective&&) noexcept = default;

const Work& Objective::work() const { return evaluator_->work(); }
std::size_t Objective::selected_rows() const { return evaluator_->selected().rows; }
void Objective::select(Rows batch) { evaluator_->reselect(batch); }
void Objective::select(const PackedRows& rows, Rows batch) { evaluator_->select(rows, batch); }

void Objective::refresh() {
  evaluator_->invalidate_from(0);
  std::fill(layer_norms_.begin(), layer_norms_.end(), unknown);
}

std::size_t Objective::valid_layers() const { return evaluator_->valid_layers(); }

BlockObjective Objective::open(Block block) {
  if (block.is_part()) {
    part_.resize(network_->size(block));
    network_->read(block, part_);
    evaluator_->prepare_part(block);
  } else {
    evaluator_->prepare_input_of(block.first);
  }
  return {*this, block};
}

void Objective::commit(Block block, std::span<const double> weights) {
  network_->write(block, weights);
  evaluator_->commit(block, weights);
  for (std::size_t l = block.first; l <= block.last; ++l) layer_norms_[l] = unknown;
}

double Objective::value() { return evaluate(network_->whole(), network_->weights(), {}); }

double Objective::value_and_gradient(std::span<double> gradient) {
  return evaluate(network_->whole(), network_->weights(), gradient);
}

double Objective::squared_norm_of(std::size_t layer, Block block, std::span<const double> trial) const {
  const Block whole{layer, layer};
  if (!block.is_part())
    return squared_norm(
        trial.subspan(network_->offset(whole) - network_->offset(block), network_->size(whole)));
  const ConstMatrix w = std::as_const(*network_).layer(layer);
  layer_.assign(w.data(), w.data() + w.size());
  put_part({layer_.data(), w.rows(), w.columns()}, block, trial);
  return squared_norm(layer_);
}

// r ||w||^2 with the block's weights replaced, summed layer by layer so that the order never depends on the block.
double Objective::regulariser(Block block, std::span<const double> trial) const {
  double sum = 0;
  for (std::size_t l = 0; l < network_->layers(); ++l) {
    if (l >= block.first && l <= block.last) {
      sum += squared_norm_of(l, block, trial);
    } else {
      if (std::isnan(layer_norms_[l]))
        layer_norms_[l] = squared_norm(std::as_const(*network_).weights({l, l}));
      sum += layer_norms_[l];
    }
  }
  return options_.l2 * sum;
}

double Objective::evaluate(Block block, std::span<const double> x, std::span<double> gradient) {
  const double loss = evaluator_->mean_loss(block, x, gradient);
  if (!gradient.empty()) add_scaled(gradient, 2 * options_.l2, x);
  return loss + regulariser(block, x);
}

bool Objective::form_quadratic() {
  const double curvature = options_.loss->constant_curvature();
  if (curvature == 0) return false;
  const Block output = network_->output_layer();
  const auto w = network_->weights(output);
  const std::size_t height = network_->layer(output.first).rows();
  const double scale = curvature / static_cast<double>(selected_rows());

  Quadratic& q = quadratic_;
  q.start.assign(w.begin(), w.end());
  q.gram.resize(height * height + w.size());  // Z'Z, then Z'E behind it
  q.value = evaluator_->output_moments(q.gram) * scale / curvature + regulariser(output, w);
  for (double& entry : q.gram) entry *= scale;
  q.gradient.assign(q.gram.begin() + static_cast<std::ptrdiff_t>(height * height), q.gram.end());
  add_scaled(q.gradient, 2 * options_.l2, w);
  q.gram.resize(height * height);
  for (std::size_t k = 0; k < height; ++k) q.gram[k * height + k] += 2 * options_.l2;
  q.difference.resize(w.size());
  q.product.resize(w.size());
  return true;
}

double Objective::quadratic_value(std::span<const double> x, std::span<double> gradient) {
  Quadratic& q = quadratic_;
  const std::size_t height = network_->layer(network_->layers() - 1).rows();
  step_to(q.difference, x, -1, q.start);
  gram_times({q.gram.data(), height, height}, q.difference, q.product);
  if (!gradient.empty()) step_to(gradient, q.gradient, 1, q.product);
  return q.value + dot(q.gradient, q.difference) + dot(q.difference, q.product) / 2;
}

std::size_t BlockObjective::size() const { return owner_->network_->size(block_); }

std::span<const double> BlockObjective::weights() const {
  return block_.is_part() ? owner_->part_ : std::as_const(*owner_->network_).weights(block_);
}

double BlockObjective::value(std::span<const double> x) {
  return quadratic_ ? owner_->quadratic_value(x, {}) : owner_->evaluate(block_, x, {});
}

double BlockObjective::try_weights(std::span<const double> x) {
  if (quadratic_ || block_.is_part()) return value(x);
  return owner_->evaluator_->try_weights(block_, x) + owner_->regulariser(block_, x);
}

double BlockObjective::value_and_gradient(std::span<const double> x, std::span<double> gradient) {
  return quadratic_ ? owner_->quadratic_value(x, gradient) : owner_->evaluate(block_, x, gradient);
}

BlockObjective::LossAndNorm BlockObjective::gradient(std::span<const double> x, std::span<double> gradient) {
  const double loss = owner_->evaluator_->mean_loss(block_, x, gradient);
  return {loss, simd_steps().add_and_square(2 * owner_->options_.l2, x, gradient)};
}

const Work& BlockObjective::work() const { return owner_->work(); }

bool BlockObjective::use_quadratic_form() {
  if (!quadratic_ && block_ == owner_->network_->output_layer()) quadratic_ = owner_->form_quadratic();
  return quadratic_;
}

void BlockObjective::hessian_times(std::span<const double> v, std::span<double> hv) const {
  model_of(LocalModel::Kind::quadratic).times(v, hv);
}

LocalModel BlockObjective::model() {
  if (use_quadratic_form()) return model_of(LocalModel::Kind::quadratic);
  return model_at(std::as_const(*owner_->network_).weights(block_));
}

LocalModel BlockObjective::model_at(std::span<const double> x) {
  assert(!block_.is_part());
  owner_->linearise(block_, x);
  return model_of(owner_->has_one_matrix(block_) ? LocalModel::Kind::newton : LocalModel::Kind::gauss_newton);
}

}  // namespace strata
