#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernels.h"
#include "strata/core/matrix.h"
#include "strata/kernels/activation.h"

namespace strata {

// What one number of a sample takes from a table: `first` times a row and `second` times the row after it. Where
// `second` is 0 that row is not looked at and need not exist.
template <class T>
struct Touch {
  std::uint32_t row = 0;
  T first = 0;
  T second = 0;
};

// Sums of few rows of a table, in place of a product with all of them; plain and fast, as `Kernels`. `touches` are those of
// the first sample, then of the second and so on, `each` of them. Panels are laid out as for `Kernels`.
template <class T = double>
struct LookupKernels {
  const char* name;

  // out(:, j) = the sum of what sample j touches. The rows of the table are padded to whole cache lines, which are read.
  void (*gather)(MatrixView<const T> table, const Touch<T>* touches, std::size_t each, MatrixView<T> out);

  // Its transpose: the rows that sample j touches += delta(:, j) times their factors
  void (*scatter)(const Touch<T>* touches, std::size_t each, MatrixView<const T> delta, Matrix sums);

  // a <- g(a);  slope = g'(a) when the activation stores it
  void (*activate)(Activation g, MatrixView<T> a, MatrixView<T> slope);

  // a <- a * g', from z = g or the stored slope
  void (*times_slope)(Activation g, MatrixView<const T> z, MatrixView<const T> slope, MatrixView<T> a);
};

template <class T = double>
const LookupKernels<T>& reference_lookup();
template <class T = double>
const LookupKernels<T>& simd_lookup();

// The plain ones beside plain kernels, the fast ones beside fast kernels.
template <class T>
const LookupKernels<T>& lookup_beside(const Kernels<T>& kernels) {
  return &kernels == &reference_kernels<T>() ? reference_lookup<T>() : simd_lookup<T>();
}

}  // namespace strata
