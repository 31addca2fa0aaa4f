// Kinds of layers: which an architecture has, and what is refused of each.
#include "network/layer_pass.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "network/dense_layer.h"
#include "network/feature_layer.h"
#include "network/radial_layer.h"
#include "strata/core/errors.h"
#include "strata/core/option_text.h"

namespace strata {

template <class T>
LayerPasses<T> make_layer_passes(const Architecture& architecture, const Kernels<T>& kernels) {
  LayerPasses<T> passes;
  for (std::size_t l = 0; l < architecture.layers(); ++l)
    if (l == 0 && !architecture.columns.empty())
      passes.push_back(std::make_unique<FeatureLayer<T>>(architecture, kernels));
    else if (architecture.is_radial(l))
      passes.push_back(std::make_unique<RadialLayer<T>>(architecture, kernels));
    else
      passes.push_back(std::make_unique<DenseLayer<T>>(kernels, architecture.fan_in(l)));
  return passes;
}

template LayerPasses<double> make_layer_passes(const Architecture&, const Kernels<double>&);
template LayerPasses<float> make_layer_passes(const Architecture&, const Kernels<float>&);

namespace {

void check_radial(const Architecture& network) {
  if (!(network.radial_width > 0) || !std::isfinite(network.radial_width))
    throw InvalidOption(option_name("radial-width"), fmt::format("{}", network.radial_width),
                        "use a finite number above 0");
  for (std::size_t l = 1; l < network.layers(); ++l)
    if (network.is_radial(l))
      throw InvalidOption("activation", to_string(network.activation_of(l)),
                          "only the first hidden layer can be radial; use one hidden layer (hidden 50), or "
                          "another activation");
  if (network.is_radial(0) && !network.columns.empty())
    throw InvalidOption("activation", to_string(network.activation_of(0)),
                        "centres are points of the inputs themselves, not of their tables; use knots 0");
}

void check_column(const ColumnBasis& column) {
  const bool piecewise = column.kind == ColumnBasis::Kind::piecewise;
  if (piecewise == column.knots.empty())
    throw InvalidOption("columns", to_string(column.kind), "a piecewise column has knots, another has none");
  if (piecewise && column.knots.size() < 2)
    throw InvalidOption("knots", "1", "a piecewise column needs at least two");
  for (std::size_t k = 0; k < column.knots.size(); ++k)
    if (!std::isfinite(column.knots[k]) || (k > 0 && !(column.knots[k - 1] < column.knots[k])))
      throw InvalidOption("knots", fmt::format("{}", column.knots[k]), "use finite numbers that increase");
  if (!column.line.empty() &&
      (column.line.size() != column.knots.size() ||
       column.line[column.knots.size() / 2] != column.knots[column.knots.size() / 2] ||
       !std::ranges::all_of(column.line, [](double x) { return std::isfinite(x); })))
    throw InvalidOption("line", fmt::format("{} numbers", column.line.size()),
                        "use a finite number for each knot, that of the middle one the knot itself");
  if ((column.kind == ColumnBasis::Kind::category) != (column.categories > 0))
    throw InvalidOption("columns", to_string(column.kind),
                        "a column of categories has at least one of them, another has none");
}

// Each input has a column; what follows are sums of inputs.
void check_sums(const Architecture& network) {
  const auto inputs = std::ranges::count_if(network.columns, [](const ColumnBasis& c) { return !c.sum; });
  if (static_cast<std::size_t>(inputs) != network.inputs)
    throw InvalidOption("columns", fmt::format("{}", inputs),
                        fmt::format("describe each of the {} inputs, or none", network.inputs));
  for (std::size_t c = 0; c < network.columns.size(); ++c) {
    const ColumnBasis& column = network.columns[c];
    if (column.sum.has_value() != (c >= network.inputs))
      throw InvalidOption("columns", fmt::format("{}", c), "sums of inputs follow the columns of all inputs");
    if (!column.sum) continue;
    if (column.kind == ColumnBasis::Kind::category)
      throw InvalidOption("columns", to_string(column.kind), "a sum of inputs is a number");
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t input = column.sum->inputs[i];
      if (input >= network.inputs || network.columns[input].kind == ColumnBasis::Kind::category)
        throw InvalidOption("columns", fmt::format("{}", input), "use inputs that are numbers for a sum");
      if (!std::isfinite(column.sum->factors[i]))
        throw InvalidOption("columns", fmt::format("{}", column.sum->factors[i]),
                            "use finite factors for a sum");
    }
  }
}

void check_features(const Architecture& network) {
  if (!(network.bend > 0) || !std::isfinite(network.bend))
    throw InvalidOption("bends", fmt::format("{}", network.bend), "use a finite number above 0");
  if (network.columns.empty()) return;
  check_sums(network);
  if (network.hidden.empty())
    throw InvalidOption("hidden", "none", "columns with tables need at least one hidden layer");
  constexpr std::size_t most_entries = 1000000000;
  std::size_t entries = 0;
  for (const ColumnBasis& column : network.columns) {
    check_column(column);
    if (column.entries() > most_entries || (entries += column.rows()) > most_entries)
      throw InvalidOption("columns", fmt::format("{}", column.entries()),
                          "use fewer than 1e9 entries in all");
  }
}

}  // namespace

void check_layers(const Architecture& architecture) {
  check_radial(architecture);
  check_features(architecture);
}

}  // namespace strata
