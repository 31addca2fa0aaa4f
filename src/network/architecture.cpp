#include "strata/network/architecture.h"

#include <fmt/core.h>

#include <algorithm>

#include "network/layer_pass.h"
#include "strata/core/errors.h"
#include "strata/core/fields.h"

namespace strata {

std::string_view to_string(Bias bias) { return name_of(bias); }
Bias bias_from(std::string_view name) { return from_name<Bias>("bias", name); }

std::string_view to_string(ColumnBasis::Kind kind) { return name_of(kind); }
ColumnBasis::Kind column_basis_kind_from(std::string_view name) {
  return from_name<ColumnBasis::Kind>("columns", name);
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
