// Highway compiles this file once per instruction set and picks one at run time.
#include "kernels/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd/simd_lookup.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "kernels/lookup.h"
#include "kernels/simd/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strata {
namespace HWY_NAMESPACE {

// Vectors run along the columns of the table. A strip of columns is kept in registers while a sample's rows are added, and
// some samples are turned at a time, because panels have their samples side by side.
inline constexpr std::size_t widest_strip =
    13;  // vectors, so that 16 registers have room: 52 columns of double with AVX2
template <class T>
inline constexpr std::size_t turned_samples = panel_quantum<T>;
template <class T>
inline constexpr std::size_t most_strip = widest_strip* panel_quantum<T>;

template <std::size_t N, class T>
HWY_INLINE void gather_sample(const T* HWY_RESTRICT table, std::size_t stride,
                              const Touch<T>* HWY_RESTRICT touches, std::size_t each, T* HWY_RESTRICT to) {
  const Vectors<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Vectors<T>> sums[N];
  for (std::size_t n = 0; n < N; ++n) sums[n] = hn::Zero(d);
  for (std::size_t i = 0; i < each; ++i) {
    const T* HWY_RESTRICT row = table + touches[i].row * stride;
    const auto first = hn::Set(d, touches[i].first);
    for (std::size_t n = 0; n < N; ++n) sums[n] = hn::MulAdd(first, hn::LoadU(d, row + n * lanes), sums[n]);
    if (touches[i].second != 0) {
      const auto second = hn::Set(d, touches[i].second);
      for (std::size_t n = 0; n < N; ++n)
        sums[n] = hn::MulAdd(second, hn::LoadU(d, row + stride + n * lanes), sums[n]);
    }
  }
  for (std::size_t n = 0; n < N; ++n) hn::StoreU(sums[n], d, to + n * lanes);
}

template <std::size_t N, class T>
void gather_strip(std::size_t o, MatrixView<const T> table, const Touch<T>* touches, std::size_t each,
                  MatrixView<T> out) {
  const std::size_t width = N * hn::Lanes(Vectors<T>());
  const std::size_t columns = std::min(width, out.rows() - o);
  HWY_ALIGN T turned[turned_samples<T> * most_strip<T>];
  for (std::size_t j = 0; j < out.columns(); j += turned_samples<T>) {
    for (std::size_t s = 0; s < turned_samples<T>; ++s)
      gather_sample<N>(table.data() + o, table.stride(), touches + (j + s) * each, each, turned + s * width);
    for (std::size_t c = 0; c < columns; ++c) {
      T* HWY_RESTRICT to = out.data() + (o + c) * out.stride() + j;
      for (std::size_t s = 0; s < turned_samples<T>; ++s) to[s] = turned[s * width + c];
    }
  }
}

template <class T>
void gather(MatrixView<const T> table, const Touch<T>* touches, std::size_t each, MatrixView<T> out) {
  const std::size_t lanes = hn::Lanes(Vectors<T>());
  std::size_t o = 0;
  const auto by_strips = [&]<std::size_t N>(std::integral_constant<std::size_t, N> /*vectors*/) HWY_ATTR {
    for (; o + (N - 1) * lanes < out.rows(); o += N * lanes) gather_strip<N>(o, table, touches, each, out);
  };
  by_strips(std::integral_constant<std::size_t, widest_strip>());
  by_strips(std::integral_constant<std::size_t, 7>());
  by_strips(std::integral_constant<std::size_t, 4>());
  by_strips(std::integral_constant<std::size_t, 1>());
}

HWY_INLINE void add_multiple(double factor, const double* HWY_RESTRICT from, std::size_t count,
                             double* HWY_RESTRICT to) {
  const Vectors<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto by = hn::Set(d, factor);
  std::size_t c = 0;
  for (; c + lanes <= count; c += lanes)
    hn::StoreU(hn::MulAdd(by, hn::LoadU(d, from + c), hn::LoadU(d, to + c)), d, to + c);
  for (; c < count; ++c) to[c] += factor * from[c];
}

template <class T>
void scatter(const Touch<T>* touches, std::size_t each, MatrixView<const T> delta, Matrix sums) {
  constexpr std::size_t strip = 4 * panel_quantum<double>;
  HWY_ALIGN double turned[turned_samples<T> * strip];
  for (std::size_t o = 0; o < delta.rows(); o += strip) {
    const std::size_t columns = std::min(strip, delta.rows() - o);
    for (std::size_t j = 0; j < delta.columns(); j += turned_samples<T>) {
      for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t s = 0; s < turned_samples<T>; ++s)
          turned[s * strip + c] = delta.data()[(o + c) * delta.stride() + j + s];
      for (std::size_t s = 0; s < turned_samples<T>; ++s)
        for (std::size_t i = 0; i < each; ++i) {
          const Touch<T>& touch = touches[(j + s) * each + i];
          double* row = sums.data() + touch.row * sums.stride() + o;
          add_multiple(touch.first, turned + s * strip, columns, row);
          if (touch.second != 0) add_multiple(touch.second, turned + s * strip, columns, row + sums.stride());
        }
    }
  }
}

template <class G, class T>
void activate_with(MatrixView<T> a, MatrixView<T> slope) {
  const Vectors<T> d;
  for (std::size_t o = 0; o < a.rows(); ++o)
    for (std::size_t j = 0; j < a.columns(); j += hn::Lanes(d)) {
      T* HWY_RESTRICT at = a.data() + o * a.stride() + j;
      const auto x = hn::LoadU(d, at);
      if constexpr (StoresSlope<G>) hn::StoreU(G::slope_at(d, x), d, slope.data() + o * slope.stride() + j);
      hn::StoreU(G::value(d, x), d, at);
    }
}

template <class T>
void activate(Activation g, MatrixView<T> a, MatrixView<T> slope) {
  if (g == Activation::linear) return;
  with_activation(g, [&](auto kind) HWY_ATTR { activate_with<decltype(kind)>(a, slope); });
}

template <class G, class T>
void times_slope_with(MatrixView<const T> z, MatrixView<T> a) {
  const Vectors<T> d;
  for (std::size_t o = 0; o < a.rows(); ++o)
    for (std::size_t j = 0; j < a.columns(); j += hn::Lanes(d)) {
      T* HWY_RESTRICT at = a.data() + o * a.stride() + j;
      hn::StoreU(hn::Mul(hn::LoadU(d, at), G::slope(d, hn::LoadU(d, z.data() + o * z.stride() + j))), d, at);
    }
}

template <class T>
void times_slope(Activation g, MatrixView<const T> z, MatrixView<const T> slope, MatrixView<T> a) {
  if (g == Activation::linear) return;
  with_slope(g, z, slope, [&](auto kind, MatrixView<const T> from) HWY_ATTR {
    times_slope_with<decltype(kind)>(from, a);
  });
}

template <class T>
const LookupKernels<T>& lookup_table() {
  static constexpr LookupKernels<T> kernels{"simd", gather<T>, scatter<T>, activate<T>, times_slope<T>};
  return kernels;
}
const LookupKernels<double>& double_lookup() { return lookup_table<double>(); }
const LookupKernels<float>& float_lookup() { return lookup_table<float>(); }

}  // namespace HWY_NAMESPACE
}  // namespace strata
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strata {

HWY_EXPORT(double_lookup);
HWY_EXPORT(float_lookup);

template <>
const LookupKernels<double>& simd_lookup() {
  return HWY_DYNAMIC_DISPATCH(double_lookup)();
}
template <>
const LookupKernels<float>& simd_lookup() {
  return HWY_DYNAMIC_DISPATCH(float_lookup)();
}

}  // namespace strata
#endif  // HWY_ONCE
