#include "strata/network/architecture.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "strata/core/errors.h"
#include "strata/core/fields.h"

namespace strata {

std::string_view to_string(Bias bias) {
  switch (bias) {
    case Bias::none: return "none";
    case Bias::input: return "input";
    case Bias::per_layer: return "per_layer";
  }
  return "unknown";
}

Bias bias_from(std::string_view name) {
  for (const Bias bias : {Bias::none, Bias::input, Bias::per_layer})
    if (to_string(bias) == name) return bias;
  throw InvalidOption("bias", name, "use none, input or per_layer");
}

std::string_view to_string(ColumnBasis::Kind kind) { return name_of(kind); }

ColumnBasis::Kind column_basis_kind_from(std::string_view name) {
  ColumnBasis::Kind kind{};
  if (read_name(name, kind)) return kind;
  throw InvalidOption("columns", name, "use scaled, piecewise or category");
}

namespace {

void check_column(const ColumnBasis& column) {
  const bool piecewise = column.kind == ColumnBasis::Kind::piecewise;
  if (piecewise == column.knots.empty())
    throw InvalidOption("columns", to_string(column.kind), "a piecewise column has knots, another has none");
  if (piecewise && column.knots.size() < 2)
    throw InvalidOption("knots", "1", "a piecewise column needs at least two");
  for (std::size_t k = 0; k < column.knots.size(); ++k)
    if (!std::isfinite(column.knots[k]) || (k > 0 && !(column.knots[k - 1] < column.knots[k])))
      throw InvalidOption("knots", fmt::format("{}", column.knots[k]), "use finite numbers that increase");
  if ((column.kind == ColumnBasis::Kind::category) != (column.categories > 0))
    throw InvalidOption("columns", to_string(column.kind),
                        "a column of categories has at least one of them, another has none");
}

}  // namespace

void Architecture::check() const {
  if (inputs == 0) throw InvalidOption("inputs", "0", "a network needs at least one input");
  if (outputs == 0) throw InvalidOption("outputs", "0", "a network needs at least one output");
  if (std::find(hidden.begin(), hidden.end(), 0U) != hidden.end())
    throw InvalidOption("hidden", "0", "every hidden layer needs at least one neuron");
  if (!activations.empty() && activations.size() != hidden.size())
    throw InvalidOption("activations", fmt::format("{} names", activations.size()),
                        fmt::format("give one for each of the {} hidden layers, or none", hidden.size()));
  if (!(bend > 0) || !std::isfinite(bend))
    throw InvalidOption("bends", fmt::format("{}", bend), "use a finite number above 0");
  if (!(radial_width > 0) || !std::isfinite(radial_width))
    throw InvalidOption("radial-width", fmt::format("{}", radial_width), "use a finite number above 0");
  for (std::size_t l = 1; l < layers(); ++l)
    if (is_radial(l))
      throw InvalidOption("activation", to_string(activation_of(l)),
                          "only the first hidden layer can be radial; use one hidden layer (hidden 50), or "
                          "another activation");
  if (columns.empty()) return;
  if (is_radial(0))
    throw InvalidOption("activation", to_string(activation_of(0)),
                        "centres are points of the inputs themselves, not of their tables; use knots 0");
  if (columns.size() != inputs)
    throw InvalidOption("columns", fmt::format("{}", columns.size()),
                        fmt::format("describe each of the {} inputs, or none", inputs));
  if (hidden.empty())
    throw InvalidOption("hidden", "none", "columns with tables need at least one hidden layer");
  constexpr std::size_t most_entries = 1000000000;
  std::size_t entries = 0;
  for (const ColumnBasis& column : columns) {
    check_column(column);
    if (column.entries() > most_entries || (entries += column.rows()) > most_entries)
      throw InvalidOption("columns", fmt::format("{}", column.entries()),
                          "use fewer than 1e9 entries in all");
  }
}

std::size_t Architecture::widest() const {
  return hidden.empty() ? outputs : std::max(outputs, *std::max_element(hidden.begin(), hidden.end()));
}

std::string Architecture::brief() const {
  std::string text = columns.empty() ? fmt::format("{}", inputs)
                                     : fmt::format("{}({})", inputs, fan_in(0) - (has_bias(0) ? 1 : 0));
  for (std::size_t l = 0; l < layers(); ++l) text += fmt::format("-{}", width(l));
  if (activations.empty()) return text + fmt::format(" {}", to_string(activation));
  for (std::size_t l = 0; l < hidden.size(); ++l)
    text += fmt::format("{}{}", l == 0 ? ' ' : ',', to_string(activations[l]));
  return text;
}

}  // namespace strata
