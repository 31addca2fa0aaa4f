#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <new>
#include <span>
#include <vector>

namespace strata {

// Memory that starts on a cache line, so that vector loads never straddle two.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
  void deallocate(T* p, std::size_t /*count*/) { ::operator delete(p, alignment); }
  bool operator==(const CacheLineAllocator& /*other*/) const { return true; }
};

using Vector = std::vector<double, CacheLineAllocator<double>>;

namespace detail {

// Sums term(i) for i < size over eight fixed lanes: independent additions for the hardware, one defined order for
// everyone.
template <class Term>
double sum_in_lanes(std::size_t size, const Term& term) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sum{};
  const std::size_t whole = size / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += term(i + lane);
  for (std::size_t i = whole; i < size; ++i) sum[i - whole] += term(i);
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

}  // namespace detail

inline double dot(std::span<const double> a, std::span<const double> b) {
  return detail::sum_in_lanes(a.size(), [a, b](std::size_t i) { return a[i] * b[i]; });
}

// y <- y + alpha x, and ||y||^2 of the result in the same pass
inline double add_scaled_and_square(std::span<double> y, double alpha, std::span<const double> x) {
  return detail::sum_in_lanes(y.size(), [y, alpha, x](std::size_t i) {
    y[i] += alpha * x[i];
    return y[i] * y[i];
  });
}

inline double squared_norm(std::span<const double> a) { return dot(a, a); }
inline double norm(std::span<const double> a) { return std::sqrt(squared_norm(a)); }

// y <- y + alpha x
inline void add_scaled(std::span<double> y, double alpha, std::span<const double> x) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += alpha * x[i];
}

// out <- x + alpha d
inline void step_to(std::span<double> out, std::span<const double> x, double alpha,
                    std::span<const double> d) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = x[i] + alpha * d[i];
}

inline bool all_finite(std::span<const double> a) {
  return std::all_of(a.begin(), a.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace strata
