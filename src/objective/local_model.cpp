#include "strata/objective/local_model.h"

#include <algorithm>
#include <utility>

#include "objective/evaluator.h"
#include "objective/gram.h"
#include "strata/objective/objective.h"

namespace strata {

// Where a layer's factors are in `linearised_`: behind the gradient of the block, Z'Z and S'S of one layer after the other.
std::size_t Objective::moments_offset(Block block, std::size_t layer) const {
  const Network& network = *network_;
  std::size_t offset = network.size(block);
  for (std::size_t l = block.first; l < layer; ++l) {
    const std::size_t width = network.architecture().width(l);
    offset += moment_parts_[l].size() + width * width;
  }
  return offset;
}

// Of the output layer with one output H is Z'CZ, c the curvatures of the rows: weighted input moments, and all there is.
bool Objective::has_one_matrix(Block block) const {
  return block == network_->output_layer() && network_->architecture().outputs == 1;
}

void Objective::linearise(Block block, std::span<const double> x) {
  Vector& sums = linearised_;
  sums.resize(moments_offset(block, block.last + 1));
  const double loss = evaluator_->linearise(block, x, sums);
  linearised_value_ = loss + regulariser(block, x);
  add_scaled(std::span(sums).first(x.size()), 2 * options_.l2, x);
  const Architecture& architecture = network_->architecture();
  const double share = 1 / static_cast<double>(selected_rows());
  const double constant = options_.loss->constant_curvature();
  const double of_loss = constant > 0 ? constant * share : share;
  for (std::size_t l = block.first; l <= block.last; ++l) {
    const std::size_t inputs = moments_offset(block, l);
    const std::size_t sensitivities = inputs + moment_parts_[l].size();
    const std::size_t end = moments_offset(block, l + 1);
    for (std::size_t i = inputs; i < end; ++i) sums[i] *= i < sensitivities ? share : of_loss;
    const std::size_t height = architecture.fan_in(l);
    if (has_one_matrix(block))
      for (std::size_t k = 0; k < height; ++k) sums[inputs + k * (height + 1)] += 2 * options_.l2;
  }
}

double LocalModel::value() const { return is_exact() ? owner_->quadratic_.value : owner_->linearised_value_; }

std::span<const double> LocalModel::gradient() const {
  if (is_exact()) return owner_->quadratic_.gradient;
  return std::span<const double>(owner_->linearised_).first(owner_->network_->size(block_));
}

double LocalModel::ridge() const { return 2 * owner_->options_.l2; }

void LocalModel::times(std::span<const double> v, std::span<double> hv, double damping) const {
  if (has_gram()) {  // the ridge is in it
    gram_times(gram(), v, hv);
    if (damping != 0) add_scaled(hv, damping, v);
  } else {
    owner_->evaluator_->gauss_newton_times(block_, v, hv);
    add_scaled(hv, ridge() + damping, v);
  }
}

ConstMatrix LocalModel::gram() const {
  const std::size_t height = std::as_const(*owner_->network_).layer(block_.first).rows();
  return {is_exact() ? owner_->quadratic_.gram.data() : input_moments(block_.first).values, height, height};
}

InputMoments LocalModel::input_moments(std::size_t layer) const {
  return {&owner_->moment_parts_[layer], owner_->linearised_.data() + owner_->moments_offset(block_, layer)};
}

ConstMatrix LocalModel::sensitivity_moments(std::size_t layer) const {
  const InputMoments inputs = input_moments(layer);
  const std::size_t n = std::as_const(*owner_->network_).layer(layer).columns();
  return {inputs.values + inputs.parts->size(), n, n};
}

}  // namespace strata
