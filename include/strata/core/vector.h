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

// Sums run over eight fixed lanes: independent additions for the hardware, one defined order for everyone.
inline double dot(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sum{};
  const std::size_t whole = a.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  for (std::size_t i = whole; i < a.size(); ++i) sum[i - whole] += a[i] * b[i];
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
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
