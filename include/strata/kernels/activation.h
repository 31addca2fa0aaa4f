#pragma once

#include <array>
#include <span>
#include <string_view>

namespace strata {

enum class Activation {
  linear,
  sigmoid,
  tanh,
  relu,
  leaky_relu,
  elu,
  softplus,
  silu,
  gaussian,  // this and the next two are radial functions, of a squared distance a >= 0
  multiquadric,
  inverse_multiquadric
};
constexpr auto names_of(Activation) {
  return std::to_array<std::string_view>({"linear", "sigmoid", "tanh", "relu", "leaky_relu", "elu",
                                          "softplus", "silu", "gaussian", "multiquadric",
                                          "inverse_multiquadric"});
}

inline constexpr double leaky_slope = 0.01;  // leaky relu: g(a) = a for a > 0, leaky_slope * a otherwise

// What there is to know of an activation g, but for its vector kernel (src/kernels/simd/activation-inl.h).
struct ActivationInfo {
  Activation activation;
  double (*value)(double a);  // z = g(a)
  // g'(a), from z where that is accurate (sigmoid: z - z*z); else from a, and the forward pass stores it beside z. One of the
  // two is null.
  double (*slope_from_value)(double z) = nullptr;
  double (*slope_at)(double a) = nullptr;
  std::string_view c;     // an expression of a, in C
  std::string_view onnx;  // the same by operators that runtimes have for doubles: Mul(a, Sigmoid(a))
  bool radial = false;    // a is a squared distance, not a sum with weights: its layer has centres
};

std::span<const ActivationInfo> activations();  // in the order of the enumeration
const ActivationInfo& info_of(Activation activation);

std::string_view to_string(Activation activation);
Activation activation_from(std::string_view name);  // throws InvalidOption

bool stores_slope(Activation activation);

}  // namespace strata
