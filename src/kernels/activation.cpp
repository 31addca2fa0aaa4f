#include "strata/kernels/activation.h"

#include <array>
#include <string>
#include <utility>

#include "strata/core/errors.h"

namespace strata {

namespace {

constexpr std::array<std::pair<Activation, std::string_view>, 8> names{{
    {Activation::linear, "linear"},
    {Activation::sigmoid, "sigmoid"},
    {Activation::tanh, "tanh"},
    {Activation::relu, "relu"},
    {Activation::leaky_relu, "leaky_relu"},
    {Activation::elu, "elu"},
    {Activation::softplus, "softplus"},
    {Activation::silu, "silu"},
}};

}  // namespace

std::string_view to_string(Activation activation) {
  for (const auto& [value, name] : names)
    if (value == activation) return name;
  return "unknown";
}

Activation activation_from(std::string_view name) {
  std::string known;
  for (const auto& [value, text] : names) {
    if (text == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  throw InvalidOption("activation", name, "use one of " + known);
}

}  // namespace strata
