#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/kernels/activation.h"

namespace strata {

// A block is a contiguous range of layers, hence one span of weights. Layers count from 0; both ends belong to it.
// Or it is a part of one hidden layer: some of its neurons, hence some columns of its weight matrix.
struct Block {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t neuron = 0;   // the first of the part's,
  std::size_t neurons = 0;  // and how many; 0: all of every layer

  [[nodiscard]] bool is_part() const { return neurons > 0; }
  friend bool operator==(const Block&, const Block&) = default;
};

enum class Bias {
  none,
  input,      // one constant input: the paper's protocol
  per_layer,  // one per neuron: what users expect elsewhere
};
constexpr auto names_of(Bias) { return std::to_array<std::string_view>({"none", "input", "per_layer"}); }

std::string_view to_string(Bias bias);
Bias bias_from(std::string_view name);  // throws InvalidOption

// Two inputs, each times a factor, added.
struct InputSum {
  std::array<std::size_t, 2> inputs = {};
  std::array<double, 2> factors = {1, 1};
  friend bool operator==(const InputSum&, const InputSum&) = default;
};

// How the first layer reads one number: an input, or a sum of two of them. Instead of a weight times the number, it may have a
// table: an entry for each knot or category, of which a number touches one or two.
struct ColumnBasis {
  enum class Kind {
    scaled,     // a weight times the number
    piecewise,  // linear between the entries of neighbouring knots, and beyond the outer ones
    category,   // the entry of the code 0, 1, ...; other numbers have none
  };
  Kind kind = Kind::scaled;
  std::vector<double> knots = {};    // piecewise: increasing, at least two
  std::size_t categories = 0;        // category: at least one
  bool missing = false;              // NaN has an entry of its own, the last; otherwise it has none
  std::optional<InputSum> sum = {};  // none: the input of the same place
  // What a weight of 1 for the slope gives at the knots: as many numbers, that of the middle knot is the knot itself. Empty: the
  // knots, a straight line.
  std::vector<double> line = {};

  [[nodiscard]] std::size_t entries() const {  // without that of missing values
    return kind == Kind::scaled ? 1 : kind == Kind::piecewise ? knots.size() : categories;
  }
  [[nodiscard]] std::size_t rows() const { return entries() + (missing ? 1 : 0); }
  friend bool operator==(const ColumnBasis&, const ColumnBasis&) = default;
};

constexpr auto names_of(ColumnBasis::Kind) {
  return std::to_array<std::string_view>({"scaled", "piecewise", "category"});
}
std::string_view to_string(ColumnBasis::Kind kind);
ColumnBasis::Kind column_basis_kind_from(std::string_view name);  // throws InvalidOption

// Of model files: what a step of a piecewise-linear function is for a weight of 1.
inline constexpr double usual_bend = 0.1;

struct Architecture {
  std::size_t inputs = 0;
  std::vector<std::size_t> hidden = {};  // widths of the hidden layers; empty: a linear model
  std::size_t outputs = 1;
  Activation activation = Activation::sigmoid;
  std::vector<Activation> activations = {};  // one per hidden layer; empty: `activation` for all
  Bias bias = Bias::per_layer;
  // One for each input, then those of sums; empty: the first layer is dense, as the others are.
  std::vector<ColumnBasis> columns = {};
  // A step from knot to knot is so many times its weight: the smaller, the more the regulariser holds functions to lines.
  double bend = usual_bend;
  // With a radial activation the first layer is radial: a neuron has a centre c, a column of its weights without a bias, and
  // the activation is one of a = ||x - c||^2 / (n s^2), n inputs and s this width.
  double radial_width = 1;

  [[nodiscard]] std::size_t layers() const { return hidden.size() + 1; }
  [[nodiscard]] std::size_t width(std::size_t layer) const {
    return layer < hidden.size() ? hidden[layer] : outputs;
  }
  [[nodiscard]] bool has_bias(std::size_t layer) const {
    return !is_radial(layer) && (bias == Bias::per_layer || (bias == Bias::input && layer == 0));
  }
  [[nodiscard]] bool is_radial(std::size_t layer) const { return info_of(activation_of(layer)).radial; }
  [[nodiscard]] double radial_factor() const {  // 1 / (n s^2)
    return 1 / (static_cast<double>(inputs) * radial_width * radial_width);
  }
  [[nodiscard]] bool first_is_dense() const { return columns.empty() && !is_radial(0); }
  // Rows of what enters a layer. A bias is one more input, always 1, the last row.
  [[nodiscard]] std::size_t input_rows(std::size_t layer) const {
    return (layer == 0 ? inputs : hidden[layer - 1]) + (has_bias(layer) ? 1 : 0);
  }
  // Rows of the layer's weight matrix; those of a bias are the last row.
  [[nodiscard]] std::size_t fan_in(std::size_t layer) const {
    if (layer > 0 || columns.empty()) return input_rows(layer);
    std::size_t rows = has_bias(0) ? 1 : 0;
    for (const ColumnBasis& column : columns) rows += column.rows();
    return rows;
  }
  [[nodiscard]] std::size_t widest() const;  // of all layers
  [[nodiscard]] Activation activation_of(std::size_t layer) const {
    if (layer + 1 == layers()) return Activation::linear;
    return activations.empty() ? activation : activations[layer];
  }

  [[nodiscard]] bool has(const Block& block) const {
    if (block.first > block.last || block.last >= layers()) return false;
    return !block.is_part() ||
           (block.first == block.last && block.last < hidden.size() && block.neuron < width(block.last) &&
            block.neurons <= width(block.last) - block.neuron);
  }

  void check() const;                       // throws InvalidOption
  [[nodiscard]] std::string brief() const;  // "13-50-50-1 sigmoid"

  friend bool operator==(const Architecture&, const Architecture&) = default;
};

}  // namespace strata
