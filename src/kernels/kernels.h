#pragma once

#include "strata/core/matrix.h"
#include "strata/kernels/activation.h"

namespace strata {

// A panel holds some samples feature by feature: row = feature, column = sample, samples contiguous. Columns are
// padded to a multiple of `panel_quantum`; kernels compute the padding too, and callers keep it harmless (zero input,
// zero delta). Nothing here knows what a network is.
// T: double or float. Sums over samples leave a panel in double precision.
template <class T = double>
inline constexpr std::size_t panel_quantum =
    64 / sizeof(T);  // samples: one cache line, a whole number of vectors everywhere

// The operations behind training, as one table so that plain and fast versions can be exchanged.
// w: fan_in x fan_out.
template <class T = double>
struct Kernels {
  const char* name;

  // out = g(w' in);  slope = g'(w' in) when the activation stores it (otherwise ignored).
  void (*affine)(Activation g, MatrixView<const T> w, MatrixView<const T> in, MatrixView<T> out,
                 MatrixView<T> slope);

  // out = (w delta) * g'(a), for the first out.rows() inputs of the layer; z = g(a) and slope are those of these
  // inputs. A bias row of w, standing last, has no delta and is left out by the caller's choice of out.
  void (*backward)(Activation g, MatrixView<const T> w, MatrixView<const T> delta, MatrixView<const T> z,
                   MatrixView<const T> slope, MatrixView<T> out);

  // gradient += in delta'   (fan_in x fan_out; sums over samples)
  void (*weight_gradient)(MatrixView<const T> in, MatrixView<const T> delta, Matrix gradient);

  // sums += z z', where the row is not below the column; what is left of the diagonal may be anything
  void (*upper_products)(MatrixView<const T> z, Matrix sums);

  // sums[j] = sum over rows of a(., j) * b(., j)
  void (*column_dots)(MatrixView<const T> a, MatrixView<const T> b, T* sums);

  // out(o, j) = a(o, j) * factors[j], or added to out
  void (*scale_columns)(MatrixView<const T> a, const T* factors, bool add, MatrixView<T> out);
};

// Plain loops: the definition of right.
template <class T = double>
const Kernels<T>& reference_kernels();

// Highway, for the best instruction set of the CPU the program runs on.
template <class T = double>
const Kernels<T>& simd_kernels();

}  // namespace strata
