#include <cmath>

#include "kernels/kernels.h"

namespace strata {

namespace {

// Sums and activations are in double precision for every T: these loops define what is right.
template <class T>
void affine(Activation g, MatrixView<const T> w, MatrixView<const T> in, MatrixView<T> out,
            MatrixView<T> slope) {
  const ActivationInfo& info = info_of(g);
  for (std::size_t o = 0; o < out.rows(); ++o)
    for (std::size_t j = 0; j < out.columns(); ++j) {
      double a = 0;
      for (std::size_t k = 0; k < w.rows(); ++k) a += double{w(k, o)} * double{in(k, j)};
      out(o, j) = static_cast<T>(info.value(a));
      if (info.slope_at != nullptr) slope(o, j) = static_cast<T>(info.slope_at(a));
    }
}

template <class T>
void backward(Activation g, MatrixView<const T> w, MatrixView<const T> delta, MatrixView<const T> z,
              MatrixView<const T> slope, MatrixView<T> out) {
  const ActivationInfo& info = info_of(g);
  for (std::size_t k = 0; k < out.rows(); ++k)
    for (std::size_t j = 0; j < out.columns(); ++j) {
      double sum = 0;
      for (std::size_t o = 0; o < w.columns(); ++o) sum += double{w(k, o)} * double{delta(o, j)};
      if (g != Activation::linear)  // which needs no z
        sum *= info.slope_at != nullptr ? double{slope(k, j)} : info.slope_from_value(z(k, j));
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
