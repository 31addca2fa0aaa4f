#pragma once

#include <algorithm>
#include <span>

#include "kernels/steps.h"
#include "strata/core/matrix.h"
#include "strata/core/vector.h"

namespace strata {

template <class T>
void round_to(std::span<const double> from, T* to) {
  std::transform(from.begin(), from.end(), to, [](double x) { return static_cast<T>(x); });
}

// The same numbers for passes in T: themselves, or a rounded copy.
inline const double* in_passes(std::span<const double> values, Vector& /*copy*/) { return values.data(); }
inline const float* in_passes(std::span<const double> values, VectorOf<float>& copy) {
  copy.resize(values.size());
  simd_steps().round(values, copy.data());
  return copy.data();
}

// The same numbers in double precision: themselves, or a copy of the same shape.
inline ConstMatrix in_double(ConstMatrix values, Vector& /*copy*/) { return values; }
inline ConstMatrix in_double(MatrixView<const float> values, Vector& copy) {
  for (std::size_t r = 0; r < values.rows(); ++r)
    std::copy_n(values.row(r).data(), values.columns(), copy.data() + r * values.stride());
  return {copy.data(), values.rows(), values.columns(), values.stride()};
}

}  // namespace strata
