#pragma once

#include <cstddef>

#include "kernels/kernels.h"
#include "strata/core/matrix.h"

namespace strata {

// Columns of a panel for this many samples.
template <class T = double>
constexpr std::size_t padded(std::size_t samples) {
  return (samples + panel_quantum<T> - 1) / panel_quantum<T> * panel_quantum<T>;
}

// Distance between the features of a panel. Wide panels get one more cache line: features a power of two apart would
// all fall into the same few sets of the first-level cache.
constexpr std::size_t panel_stride(std::size_t samples) {
  const std::size_t columns = padded(samples);
  return columns < 64 ? columns : columns + panel_quantum<>;
}

// panel[f][j] = table(row_of(j), f) for j < samples, zero in the padding.
template <class RowOf>
void gather(ConstMatrix table, std::size_t samples, const RowOf& row_of, Matrix panel) {
  for (std::size_t j = 0; j < panel.columns(); ++j) {
    if (j < samples) {
      const double* row = table.data() + row_of(j) * table.stride();
      for (std::size_t f = 0; f < panel.rows(); ++f) panel(f, j) = row[f];
    } else {
      for (std::size_t f = 0; f < panel.rows(); ++f) panel(f, j) = 0;
    }
  }
}

// The last feature is the constant 1 that carries a bias; zero in the padding.
inline void set_constant_feature(Matrix panel, std::size_t samples) {
  for (std::size_t j = 0; j < panel.columns(); ++j) panel(panel.rows() - 1, j) = j < samples ? 1 : 0;
}

}  // namespace strata
