#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "strata/core/fields.h"
#include "strata/core/matrix.h"
#include "strata/core/random.h"
#include "strata/core/vector.h"
#include "strata/network/architecture.h"

namespace strata {

// The columns of a layer's weight matrix that are those of a part of it, and writing them.
template <class T>
MatrixView<T> part_of(MatrixView<T> layer, Block block) {
  return {layer.data() + block.neuron, layer.rows(), block.neurons, layer.stride()};
}
void put_part(Matrix layer, Block block, std::span<const double> weights);

// An architecture and its weights: one aligned buffer, layer after layer; W of a layer is fan_in x fan_out, row by row.
class Network {
 public:
  explicit Network(Architecture architecture);  // weights are zero until initialised

  [[nodiscard]] const Architecture& architecture() const { return architecture_; }
  [[nodiscard]] std::size_t layers() const { return architecture_.layers(); }
  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  [[nodiscard]] Block whole() const { return {0, layers() - 1}; }
  [[nodiscard]] Block output_layer() const { return {layers() - 1, layers() - 1}; }

  [[nodiscard]] std::span<double> weights() { return weights_; }
  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  // Of layers; a part of a layer has no span of its own.
  [[nodiscard]] std::span<double> weights(Block block) {
    assert(!block.is_part());
    return weights().subspan(offset(block), size(block));
  }
  [[nodiscard]] std::span<const double> weights(Block block) const {
    assert(!block.is_part());
    return weights().subspan(offset(block), size(block));
  }
  [[nodiscard]] Matrix layer(std::size_t l) {
    return {weights_.data() + offsets_[l], architecture_.fan_in(l), architecture_.width(l)};
  }
  [[nodiscard]] ConstMatrix layer(std::size_t l) const {
    return {weights_.data() + offsets_[l], architecture_.fan_in(l), architecture_.width(l)};
  }

  // Of any block: its weights one after the other, those of a part as fan_in x neurons, row by row.
  void read(Block block, std::span<double> into) const;
  void write(Block block, std::span<const double> weights);

  [[nodiscard]] std::size_t offset(Block block) const { return offsets_[block.first]; }
  [[nodiscard]] std::size_t size(Block block) const {
    if (block.is_part()) return architecture_.fan_in(block.first) * block.neurons;
    return offsets_[block.last + 1] - offsets_[block.first];
  }

  // Outputs for any rows (rows x inputs -> rows x outputs), in the units the network was trained in.
  void predict(ConstMatrix inputs, Matrix outputs) const;

 private:
  Architecture architecture_;
  std::vector<std::size_t> offsets_;  // of each layer's first weight; the last entry is the total
  Vector weights_;
};

// The same functions of the inputs, to rounding, with the weights of model files: for the usual bend and straight lines.
Network with_usual_weights(const Network& network);

enum class Initialisation {
  uniform,  // on (-scale, scale): the paper's, with scale 0.5
  normal,   // mean 0, standard deviation scale
  glorot,   // uniform, bound sqrt(6 / (fan_in + fan_out)); biases zero
  he,       // normal, variance 2 / fan_in; biases zero
};
constexpr auto names_of(Initialisation) {
  return std::to_array<std::string_view>({"uniform", "normal", "glorot", "he"});
}

std::string_view to_string(Initialisation kind);
Initialisation initialisation_from(std::string_view name);  // throws InvalidOption

struct InitialiseOptions {
  Initialisation kind = Initialisation::glorot;
  double scale = 0.5;

  void fields(auto& list) {
    list("init", kind, "initial weights");
    list("init-scale", scale, positive, "bound of uniform, deviation of normal weights");
  }
};

void initialise(Network& network, const InitialiseOptions& options, RandomStream stream);

}  // namespace strata
