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

// Sums and activations are in double precision for every T: these loops define what is right.
template <class T>
void affine(Activation g, MatrixView<const T> w, MatrixView<const T> in, MatrixView<T> out,
            MatrixView<T> slope) {
  for (std::size_t o = 0; o < out.rows(); ++o)
    for (std::size_t j = 0; j < out.columns(); ++j) {
      double a = 0;
      for (std::size_t k = 0; k < w.rows(); ++k) a += double{w(k, o)} * double{in(k, j)};
      out(o, j) = static_cast<T>(value(g, a));
      if (stores_slope(g)) slope(o, j) = static_cast<T>(stored_slope(g, a));
    }
}

template <class T>
void backward(Activation g, MatrixView<const T> w, MatrixView<const T> delta, MatrixView<const T> z,
              MatrixView<const T> slope, MatrixView<T> out) {
  for (std::size_t k = 0; k < out.rows(); ++k)
    for (std::size_t j = 0; j < out.columns(); ++j) {
      double sum = 0;
      for (std::size_t o = 0; o < w.columns(); ++o) sum += double{w(k, o)} * double{delta(o, j)};
      if (g != Activation::linear)  // which needs no z
        sum *= stores_slope(g) ? double{slope(k, j)} : slope_from_value(g, z(k, j));
      out(k, j) = static_cast<T>(sum);
    }
}

template <class T>
void weight_gradient(MatrixView<const T> in, MatrixView<const T> delta, Matrix gradient) {
  for (std::size_t k = 0; k < in.rows(); ++k)
    for (std::size_t o = 0; o < delta.rows(); ++o) {
      double sum = 0;
      for (std::size_t j = 0; j < in.columns(); ++j) sum += double{in(k, j)} * double{delta(o, j)};
      gradient(k, o) += sum;
    }
}

template <class T>
void upper_products(MatrixView<const T> z, Matrix sums) {
  weight_gradient(z, z, sums);
}

template <class T>
void column_dots(MatrixView<const T> a, MatrixView<const T> b, T* sums) {
  for (std::size_t j = 0; j < a.columns(); ++j) {
    double sum = 0;
    for (std::size_t o = 0; o < a.rows(); ++o) sum += double{a(o, j)} * double{b(o, j)};
    sums[j] = static_cast<T>(sum);
  }
}

template <class T>
void scale_columns(MatrixView<const T> a, const T* factors, bool add, MatrixView<T> out) {
  for (std::size_t o = 0; o < a.rows(); ++o)
    for (std::size_t j = 0; j < a.columns(); ++j) out(o, j) = (add ? out(o, j) : 0) + a(o, j) * factors[j];
}

}  // namespace

template <class T>
const Kernels<T>& reference_kernels() {
  static constexpr Kernels<T> kernels{"reference",       affine<T>,      backward<T>,     weight_gradient<T>,
                                      upper_products<T>, column_dots<T>, scale_columns<T>};
  return kernels;
}

template const Kernels<double>& reference_kernels();
template const Kernels<float>& reference_kernels();

}  // namespace strata
