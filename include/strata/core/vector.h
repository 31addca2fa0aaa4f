#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <new>
#include <span>
#include <vector>

namespace strata {

// Asks the system for pages of 2 MB there, where it has them: rows of a large table are read here and there, and with pages of 4 kB
// most of the time goes to finding out where these are.
void use_large_pages(void* memory, std::size_t bytes);
constexpr std::size_t worth_large_pages = std::size_t{8} << 20U;  // bytes

// Memory that starts on a cache line, so that vector loads never straddle two.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    void* const memory = ::operator new(count * sizeof(T), alignment);
    if (count * sizeof(T) >= worth_large_pages) use_large_pages(memory, count * sizeof(T));
    return static_cast<T*>(memory);
  }
  void deallocate(T* p, std::size_t /*count*/) { ::operator delete(p, alignment); }
  bool operator==(const CacheLineAllocator& /*other*/) const { return true; }
};

template <class T>
using VectorOf = std::vector<T, CacheLineAllocator<T>>;
using Vector = VectorOf<double>;

// At least so many entries. What was there is given up first: old and new memory are never held together.
template <class T>
void make_room(VectorOf<T>& values, std::size_t size, T value = {}) {
  if (values.size() >= size) return;
  values = {};
  values.assign(size, value);
}

// Sums run over eight fixed lanes: independent additions for the hardware, one defined order for everyone.
class LaneSum {
 public:
  static constexpr std::size_t lanes = 8;
  double& operator[](std::size_t lane) { return sum_[lane]; }
  [[nodiscard]] double total() const {
    return ((sum_[0] + sum_[4]) + (sum_[2] + sum_[6])) + ((sum_[1] + sum_[5]) + (sum_[3] + sum_[7]));
  }

 private:
  std::array<double, lanes> sum_{};
};

inline double dot(std::span<const double> a, std::span<const double> b) {
  LaneSum sum;
  const std::size_t whole = a.size() / LaneSum::lanes * LaneSum::lanes;
  for (std::size_t i = 0; i < whole; i += LaneSum::lanes)
    for (std::size_t lane = 0; lane < LaneSum::lanes; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  for (std::size_t i = whole; i < a.size(); ++i) sum[i - whole] += a[i] * b[i];
  return sum.total();
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
