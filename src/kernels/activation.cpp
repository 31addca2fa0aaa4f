#include "strata/kernels/activation.h"

#include <array>
#include <cmath>

#include "strata/core/fields.h"

namespace strata {

namespace {

double sigmoid(double a) { return 1 / (1 + std::exp(-a)); }

// A squared distance is below 0 by rounding alone.
double multiquadric(double a) { return std::sqrt(1 + (a < 0 ? 0 : a)); }

constexpr std::array kinds{
    ActivationInfo{.activation = Activation::linear,
                   .value = [](double a) { return a; },
                   .slope_from_value = [](double) { return 1.0; },
                   .c = "a",
                   .onnx = "a"},
    ActivationInfo{.activation = Activation::sigmoid,
                   .value = sigmoid,
                   .slope_from_value = [](double z) { return z - z * z; },
                   .c = "1.0 / (1.0 + exp(-a))",
                   .onnx = "Sigmoid(a)"},
    ActivationInfo{.activation = Activation::tanh,
                   .value = [](double a) { return std::tanh(a); },
                   .slope_from_value = [](double z) { return 1 - z * z; },
                   .c = "tanh(a)",
                   .onnx = "Tanh(a)"},
    ActivationInfo{.activation = Activation::relu,
                   .value = [](double a) { return a > 0 ? a : 0; },
                   .slope_from_value = [](double z) { return z > 0 ? 1.0 : 0.0; },
                   .c = "a > 0.0 ? a : 0.0",
                   .onnx = "Relu(a)"},
    ActivationInfo{.activation = Activation::leaky_relu,
                   .value = [](double a) { return a > 0 ? a : leaky_slope * a; },
                   .slope_from_value = [](double z) { return z > 0 ? 1.0 : leaky_slope; },
                   .c = "a > 0.0 ? a : 0.01 * a",
                   .onnx = "Max(a, Mul(a, 0.01))"},
    ActivationInfo{.activation = Activation::elu,
                   .value = [](double a) { return a > 0 ? a : std::expm1(a); },
                   .slope_from_value = [](double z) { return z > 0 ? 1.0 : z + 1; },
                   .c = "a > 0.0 ? a : expm1(a)",
                   .onnx = "Where(Greater(a, 0), a, Sub(Exp(Min(a, 0)), 1))"},
    ActivationInfo{.activation = Activation::softplus,
                   .value = [](double a) { return std::fmax(a, 0) + std::log1p(std::exp(-std::abs(a))); },
                   .slope_at = sigmoid,
                   .c = "fmax(a, 0.0) + log1p(exp(-fabs(a)))",
                   .onnx = "Add(Max(a, 0), Log(Add(Exp(Neg(Abs(a))), 1)))"},
    ActivationInfo{.activation = Activation::silu,
                   .value = [](double a) { return a * sigmoid(a); },
                   .slope_at =
                       [](double a) {
                         const double s = sigmoid(a);
                         return s * (1 + a * (1 - s));
                       },
                   .c = "a / (1.0 + exp(-a))",
                   .onnx = "Mul(a, Sigmoid(a))"},
    ActivationInfo{.activation = Activation::gaussian,
                   .value = [](double a) { return std::exp(-a); },
                   .slope_from_value = [](double z) { return -z; },
                   .c = "exp(-a)",
                   .onnx = "Exp(Neg(a))",
                   .radial = true},
    ActivationInfo{.activation = Activation::multiquadric,
                   .value = multiquadric,
                   .slope_from_value = [](double z) { return 0.5 / z; },
                   .c = "sqrt(1.0 + (a < 0.0 ? 0.0 : a))",
                   .onnx = "Sqrt(Add(Max(a, 0), 1))",
                   .radial = true},
    ActivationInfo{.activation = Activation::inverse_multiquadric,
                   .value = [](double a) { return 1 / multiquadric(a); },
                   .slope_from_value = [](double z) { return -0.5 * z * z * z; },
                   .c = "1.0 / sqrt(1.0 + (a < 0.0 ? 0.0 : a))",
                   .onnx = "Div(1, Sqrt(Add(Max(a, 0), 1)))",
                   .radial = true},
};

constexpr bool is_in_the_order_of_the_enumeration() {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i].activation != static_cast<Activation>(i)) return false;
  return kinds.size() == names_of(Activation{}).size();
}
static_assert(is_in_the_order_of_the_enumeration());

}  // namespace

std::span<const ActivationInfo> activations() { return kinds; }

const ActivationInfo& info_of(Activation activation) { return kinds[static_cast<std::size_t>(activation)]; }

std::string_view to_string(Activation activation) { return name_of(activation); }
Activation activation_from(std::string_view name) { return from_name<Activation>("activation", name); }

bool stores_slope(Activation activation) { return info_of(activation).slope_at != nullptr; }

}  // namespace strata
