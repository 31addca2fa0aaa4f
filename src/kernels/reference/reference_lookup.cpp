#include "kernels/lookup.h"

namespace strata {

namespace {

template <class T>
void gather(MatrixView<const T> table, const Touch<T>* touches, std::size_t each, MatrixView<T> out) {
  for (std::size_t o = 0; o < out.rows(); ++o)
    for (std::size_t j = 0; j < out.columns(); ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < each; ++i) {
        const Touch<T>& touch = touches[j * each + i];
        sum += double{touch.first} * double{table(touch.row, o)};
        if (touch.second != 0) sum += double{touch.second} * double{table(touch.row + 1, o)};
      }
      out(o, j) = static_cast<T>(sum);
    }
}

template <class T>
void scatter(const Touch<T>* touches, std::size_t each, MatrixView<const T> delta, Matrix sums) {
  for (std::size_t j = 0; j < delta.columns(); ++j)
    for (std::size_t i = 0; i < each; ++i) {
      const Touch<T>& touch = touches[j * each + i];
      for (std::size_t o = 0; o < delta.rows(); ++o) {
        sums(touch.row, o) += double{touch.first} * double{delta(o, j)};
        if (touch.second != 0) sums(touch.row + 1, o) += double{touch.second} * double{delta(o, j)};
      }
    }
}

// By the plain kernels for a layer of one neuron with weight 1.
template <class T>
void activate(Activation g, MatrixView<T> a, MatrixView<T> slope) {
  const T one = 1;
  for (std::size_t o = 0; o < a.rows(); ++o) {
    const MatrixView<T> row(a.row(o).data(), 1, a.columns());
    const MatrixView<T> slopes =
        stores_slope(g) ? MatrixView<T>(slope.row(o).data(), 1, a.columns()) : MatrixView<T>();
    reference_kernels<T>().affine(g, {&one, 1, 1}, row, row, slopes);
  }
}

template <class T>
void times_slope(Activation g, MatrixView<const T> z, MatrixView<const T> slope, MatrixView<T> a) {
  if (g == Activation::linear) return;
  const T one = 1;
  const auto row_of = [&](MatrixView<const T> m, std::size_t o) {
    return MatrixView<const T>(m.row(o).data(), 1, a.columns());
  };
  for (std::size_t o = 0; o < a.rows(); ++o)
    reference_kernels<T>().backward(g, {&one, 1, 1}, row_of(a, o), row_of(z, o),
                                    stores_slope(g) ? row_of(slope, o) : MatrixView<const T>(),
                                    {a.row(o).data(), 1, a.columns()});
}

}  // namespace

template <class T>
const LookupKernels<T>& reference_lookup() {
  static constexpr LookupKernels<T> kernels{"reference", gather<T>, scatter<T>, activate<T>, times_slope<T>};
  return kernels;
}

template const LookupKernels<double>& reference_lookup();
template const LookupKernels<float>& reference_lookup();

}  // namespace strata
