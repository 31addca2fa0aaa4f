#include <cmath>

#include "kernels/kernels.h"

namespace strata {

namespace {

double sigmoid(double a) { return 1 / (1 + std::exp(-a)); }

double value(Activation g, double a) {
  switch (g) {
    case Activation::linear: return a;
    case Activation::sigmoid: return sigmoid(a);
    case Activation::tanh: return std::tanh(a);
    case Activation::relu: return a > 0 ? a : 0;
    case Activation::leaky_relu: return a > 0 ? a : leaky_slope * a;
    case Activation::elu: return a > 0 ? a : std::expm1(a);
    case Activation::softplus: return std::fmax(a, 0) + std::log1p(std::exp(-std::abs(a)));
    case Activation::silu: return a * sigmoid(a);
  }
  return a;
}

double stored_slope(Activation g, double a) {
  const double s = sigmoid(a);
  return g == Activation::softplus ? s : s * (1 + a * (1 - s));
}

double slope_from_value(Activation g, double z) {
  switch (g) {
    case Activation::sigmoid: return z - z * z;
    case Activation::tanh: return 1 - z * z;
    case Activation::relu: return z > 0 ? 1 : 0;
    case Activation::leaky_relu: return z > 0 ? 1 : leaky_slope;
    case Activation::elu: return z > 0 ? 1 : z + 1;
    default: return 1;
  }
}

void affine(Activation g, ConstMatrix w, ConstMatrix in, Matrix out, Matrix slope) {
  for (std::size_t o = 0; o < out.rows(); ++o)
    for (std::size_t j = 0; j < out.columns(); ++j) {
      double a = 0;
      for (std::size_t k = 0; k < w.rows(); ++k) a += w(k, o) * in(k, j);
      out(o, j) = value(g, a);
      if (stores_slope(g)) slope(o, j) = stored_slope(g, a);
    }
}

void backward(Activation g, ConstMatrix w, ConstMatrix delta, ConstMatrix z, ConstMatrix slope, Matrix out) {
  for (std::size_t k = 0; k < out.rows(); ++k)
    for (std::size_t j = 0; j < out.columns(); ++j) {
      double sum = 0;
      for (std::size_t o = 0; o < w.columns(); ++o) sum += w(k, o) * delta(o, j);
      out(k, j) = sum * (stores_slope(g) ? slope(k, j) : slope_from_value(g, z(k, j)));
    }
}

void weight_gradient(ConstMatrix in, ConstMatrix delta, Matrix gradient) {
  for (std::size_t k = 0; k < in.rows(); ++k)
    for (std::size_t o = 0; o < delta.rows(); ++o) {
      double sum = 0;
      for (std::size_t j = 0; j < in.columns(); ++j) sum += in(k, j) * delta(o, j);
      gradient(k, o) += sum;
    }
}

}  // namespace

const Kernels& reference_kernels() {
  static constexpr Kernels kernels{"reference", affine, backward, weight_gradient};
  return kernels;
}

}  // namespace strata
