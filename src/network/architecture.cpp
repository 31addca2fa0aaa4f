#include "strata/network/architecture.h"

#include <fmt/core.h>

#include <algorithm>

#include "network/layer_pass.h"
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

void Architecture::check() const {
  if (inputs == 0) throw InvalidOption("inputs", "0", "a network needs at least one input");
  if (outputs == 0) throw InvalidOption("outputs", "0", "a network needs at least one output");
  if (std::find(hidden.begin(), hidden.end(), 0U) != hidden.end())
    throw InvalidOption("hidden", "0", "every hidden layer needs at least one neuron");
  if (!activations.empty() && activations.size() != hidden.size())
    throw InvalidOption("activations", fmt::format("{} names", activations.size()),
                        fmt::format("give one for each of the {} hidden layers, or none", hidden.size()));
  check_layers(*this);
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
