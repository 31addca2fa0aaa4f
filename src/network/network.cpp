#include "strata/network/network.h"

#include <algorithm>
#include <utility>

#include "network/panel_pass.h"

namespace strata {

void put_part(Matrix layer, Block block, std::span<const double> weights) {
  const Matrix part = part_of(layer, block);
  for (std::size_t r = 0; r < part.rows(); ++r)
    std::ranges::copy(weights.subspan(r * part.columns(), part.columns()), part.row(r).begin());
}

Network::Network(Architecture architecture) : architecture_(std::move(architecture)) {
  architecture_.check();
  offsets_.push_back(0);
  for (std::size_t l = 0; l < layers(); ++l)
    offsets_.push_back(offsets_.back() + architecture_.fan_in(l) * architecture_.width(l));
  weights_.assign(offsets_.back(), 0.0);
}

void Network::read(Block block, std::span<double> into) const {
  if (!block.is_part()) {
    std::ranges::copy(weights(block), into.begin());
    return;
  }
  const ConstMatrix part = part_of(layer(block.first), block);
  for (std::size_t r = 0; r < part.rows(); ++r)
    std::ranges::copy(part.row(r), into.data() + r * part.columns());
}

void Network::write(Block block, std::span<const double> weights) {
  if (block.is_part())
    put_part(layer(block.first), block, weights);
  else if (const auto own = this->weights(block); weights.data() != own.data())
    std::ranges::copy(weights, own.begin());
}

void Network::predict(ConstMatrix inputs, Matrix outputs) const {
  PanelPass(*this, inputs.rows()).predict(inputs, outputs);
}

Network with_usual_weights(const Network& network) {
  Architecture architecture = network.architecture();
  const double factor = architecture.bend / usual_bend;
  architecture.bend = usual_bend;
  for (ColumnBasis& column : architecture.columns) column.line.clear();
  Network changed(std::move(architecture));
  std::ranges::copy(network.weights(), changed.weights().begin());
  std::size_t first = 0;
  for (const ColumnBasis& column : network.architecture().columns) {
    const std::size_t middle = column.entries() / 2;
    for (std::size_t k = 0; column.kind == ColumnBasis::Kind::piecewise && k < column.entries(); ++k) {
      if (k == middle) continue;  // the slope, and the entry there, stay as they are
      const std::size_t inner = k > middle ? k - 1 : k + 1;
      const auto slope = changed.layer(0).row(first + middle);
      const auto step = changed.layer(0).row(first + k);
      const double bent =
          column.line.empty()
              ? 0
              : ((column.line[k] - column.line[inner]) - (column.knots[k] - column.knots[inner])) /
                    usual_bend;
      for (std::size_t o = 0; o < step.size(); ++o) step[o] = factor * step[o] + bent * slope[o];
    }
    first += column.rows();
  }
  return changed;
}

}  // namespace strata
