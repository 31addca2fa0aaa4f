#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "strata/core/matrix.h"
#include "strata/core/vector.h"

namespace strata {

// A factor of Z'Z or S'S. Padding is harmless in a gradient, where its delta is zero, but not here: it is set to zero in a
// copy. Weights enter by their roots, which keeps the product symmetric to the bit. `masked` and `row` are scratch.
template <class T>
MatrixView<const T> moment_factor(MatrixView<const T> values, std::span<const double> weights,
                                  std::size_t samples, VectorOf<T>& masked, VectorOf<T>& row) {
  if (samples == values.columns() && weights.empty()) return values;
  for (std::size_t j = 0; j < samples; ++j)
    row[j] = weights.empty() ? T{1} : static_cast<T>(std::sqrt(weights[j]));
  const MatrixView<T> copy(masked.data(), values.rows(), values.columns(), values.stride());
  for (std::size_t r = 0; r < values.rows(); ++r)
    for (std::size_t j = 0; j < values.columns(); ++j) copy(r, j) = j < samples ? values(r, j) * row[j] : 0;
  return copy;
}

inline void fill_below_the_diagonal(Matrix symmetric) {
  for (std::size_t r = 0; r < symmetric.rows(); ++r)
    for (std::size_t c = 0; c < r; ++c) symmetric(r, c) = symmetric(c, r);
}

}  // namespace strata
