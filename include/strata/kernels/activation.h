#pragma once

#include <string_view>

namespace strata {

enum class Activation { linear, sigmoid, tanh, relu, leaky_relu, elu, softplus, silu };

inline constexpr double leaky_slope = 0.01;  // leaky relu: g(a) = a for a > 0, leaky_slope * a otherwise

std::string_view to_string(Activation activation);
Activation activation_from(std::string_view name);  // throws InvalidOption

// For most activations g'(a) follows from z = g(a) (sigmoid: z - z*z). For these two it does not, or not accurately,
// and the forward pass stores g'(a) beside z.
constexpr bool stores_slope(Activation activation) {
  return activation == Activation::softplus || activation == Activation::silu;
}

}  // namespace strata
