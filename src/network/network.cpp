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

Network with_bend(const Network& network, double bend) {
  Architecture architecture = network.architecture();
  const double factor = architecture.bend / bend;
  architecture.bend = bend;
  Network changed(std::move(architecture));
  std::ranges::copy(network.weights(), changed.weights().begin());
  std::size_t first = 0;
  for (const ColumnBasis& column : changed.architecture().columns) {
    if (column.kind == ColumnBasis::Kind::piecewise)
      for (std::size_t k = 0; k < column.entries(); ++k)
        if (k != column.entries() / 2)  // the slope
          for (double& step : changed.layer(0).row(first + k)) step *= factor;
    first += column.rows();
  }
  return changed;
}

}  // namespace strata
