#pragma once

#include <algorithm>
#include <span>

#include "strata/core/matrix.h"
#include "strata/core/vector.h"

namespace strata {

// hv = H v for weights laid out N x outputs, H symmetric N x N: row k of the result is sum_i H(k,i) v(i,:).
inline void gram_times(ConstMatrix gram, std::span<const double> v, std::span<double> hv) {
  const std::size_t n = gram.rows();
  const std::size_t outputs = v.size() / n;
  if (outputs == 1) {
    for (std::size_t k = 0; k < n; ++k) hv[k] = dot(gram.row(k), v);
    return;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto row = hv.subspan(k * outputs, outputs);
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) add_scaled(row, gram(k, i), v.subspan(i * outputs, outputs));
  }
}

}  // namespace strata
