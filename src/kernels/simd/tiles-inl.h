// Register tiles: the two loops in which all the time is spent. Included once per instruction set.
#if defined(STRATA_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef STRATA_TILES_INL_H
#undef STRATA_TILES_INL_H
#else
#define STRATA_TILES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "kernels/simd/activation-inl.h"

#define STRATA_UNROLL _Pragma("GCC unroll 16")

HWY_BEFORE_NAMESPACE();
namespace strata {
namespace HWY_NAMESPACE {

// Accumulators must cover multiply-add latency x throughput (8 on current cores) and leave registers for operands.
inline constexpr bool many_registers = HWY_MAX_BYTES == 64 || HWY_TARGET == HWY_NEON;  // 32 instead of 16
inline constexpr std::size_t strip_vectors = many_registers ? 4 : 2;  // 6 x 4 or 6 x 2 accumulators
inline constexpr std::size_t dot_columns = many_registers ? 6 : 3;    // 4 x 6 or 4 x 3 accumulators
inline constexpr std::size_t tile_rows = 6;
inline constexpr std::size_t dot_rows = 4;
inline constexpr std::size_t narrow_vectors = 8;  // few outputs: more samples per tile keep the pipeline full

// Cuts `count` into the fewest pieces of at most `most`, of nearly equal size: a last piece of one or two would run
// at a fraction of the speed.
template <class Visit>
HWY_INLINE void in_even_pieces(std::size_t count, std::size_t most, const Visit& visit) {
  if (count == 0) return;
  const std::size_t pieces = (count - 1) / most + 1;
  const std::size_t size = count / pieces;
  const std::size_t larger = count % pieces;
  std::size_t start = 0;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t length = size + (piece < larger ? 1 : 0);
    visit(start, length);
    start += length;
  }
}

// out[o][j..] = sum_k w[o * w_out + k * w_in] * in[k][j..]   for M rows o and N vectors of samples.
template <std::size_t M, std::size_t N, class T>
HWY_INLINE void product_tile(const T* HWY_RESTRICT w, std::size_t w_out, std::size_t w_in, std::size_t inner,
                             const T* HWY_RESTRICT in, std::size_t in_stride, T* HWY_RESTRICT out,
                             std::size_t out_stride) {
  const Vectors<T> d;
  using V = hn::Vec<Vectors<T>>;
  const std::size_t lanes = hn::Lanes(d);
  V sum[M][N];
  STRATA_UNROLL for (std::size_t m = 0; m < M; ++m) {
    STRATA_UNROLL for (std::size_t n = 0; n < N; ++n) sum[m][n] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < inner; ++k) {
    V z[N];
    STRATA_UNROLL for (std::size_t n = 0; n < N; ++n) z[n] = hn::LoadU(d, in + n * lanes);
    STRATA_UNROLL for (std::size_t m = 0; m < M; ++m) {
      const V weight = hn::Set(d, w[m * w_out]);
      STRATA_UNROLL for (std::size_t n = 0; n < N; ++n) sum[m][n] = hn::MulAdd(weight, z[n], sum[m][n]);
    }
    in += in_stride;
    w += w_in;
  }
  STRATA_UNROLL for (std::size_t m = 0; m < M; ++m) {
    STRATA_UNROLL for (std::size_t n = 0; n < N; ++n)
        hn::StoreU(sum[m][n], d, out + m * out_stride + n * lanes);
  }
}

// A function of its own: inside the loops of every activation, forward and backward, it took twice as long to compile.
template <std::size_t N, class T>
HWY_NOINLINE void product_rows(std::size_t rows, const T* w, std::size_t w_out, std::size_t w_in,
                               std::size_t inner, const T* in, std::size_t in_stride, T* out,
                               std::size_t out_stride) {
  switch (rows) {
    case 1: return product_tile<1, N>(w, w_out, w_in, inner, in, in_stride, out, out_stride);
    case 2: return product_tile<2, N>(w, w_out, w_in, inner, in, in_stride, out, out_stride);
    case 3: return product_tile<3, N>(w, w_out, w_in, inner, in, in_stride, out, out_stride);
    case 4: return product_tile<4, N>(w, w_out, w_in, inner, in, in_stride, out, out_stride);
    case 5: return product_tile<5, N>(w, w_out, w_in, inner, in, in_stride, out, out_stride);
    default: return product_tile<6, N>(w, w_out, w_in, inner, in, in_stride, out, out_stride);
  }
}

#if HWY_TARGET != HWY_SCALAR
// The lanes of v, added up block by block of 16 bytes.
template <class D, class V>
HWY_INLINE auto sum_of_blocks(D, V v) {
  if constexpr (sizeof(V) <= 16) {
    return v;
  } else {
    const hn::Half<D> half;
    return sum_of_blocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
#endif

// sums = the sums of the lanes of a, b, c and e: neighbours share their shuffles, which takes a third of the instructions
// that four sums one after the other do.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE void four_lane_sums(D d, V a, V b, V c, V e, T* HWY_RESTRICT sums) {
#if HWY_TARGET == HWY_SCALAR
  hn::StoreU(a, d, sums);
  hn::StoreU(b, d, sums + 1);
  hn::StoreU(c, d, sums + 2);
  hn::StoreU(e, d, sums + 3);
#else
  constexpr std::size_t block = 16 / sizeof(T);
  const hn::CappedTag<T, block> one_block;
  const V ab = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  const V ce = hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e));
  if constexpr (block == 2) {
    hn::StoreU(sum_of_blocks(d, ab), one_block, sums);
    hn::StoreU(sum_of_blocks(d, ce), one_block, sums + 2);
  } else {
    const hn::RepartitionToWide<D> pairs;
    const auto low = hn::InterleaveLower(pairs, hn::BitCast(pairs, ab), hn::BitCast(pairs, ce));
    const auto high = hn::InterleaveUpper(pairs, hn::BitCast(pairs, ab), hn::BitCast(pairs, ce));
    hn::StoreU(sum_of_blocks(d, hn::Add(hn::BitCast(d, low), hn::BitCast(d, high))), one_block, sums);
  }
#endif
}

// gradient[k * stride + o] += sum_j in[k][j] * delta[o][j]   for A rows k and B rows o.
template <std::size_t A, std::size_t B, class T>
HWY_INLINE void dot_tile(const T* HWY_RESTRICT in, std::size_t in_stride, const T* HWY_RESTRICT delta,
                         std::size_t delta_stride, std::size_t samples, double* HWY_RESTRICT gradient,
                         std::size_t gradient_stride) {
  const Vectors<T> d;
  using V = hn::Vec<Vectors<T>>;
  const std::size_t lanes = hn::Lanes(d);
  V sum[A][B];
  STRATA_UNROLL for (std::size_t a = 0; a < A; ++a) {
    STRATA_UNROLL for (std::size_t b = 0; b < B; ++b) sum[a][b] = hn::Zero(d);
  }
  for (std::size_t j = 0; j < samples; j += lanes) {
    V other[B];
    STRATA_UNROLL for (std::size_t b = 0; b < B; ++b) other[b] = hn::LoadU(d, delta + b * delta_stride + j);
    STRATA_UNROLL for (std::size_t a = 0; a < A; ++a) {
      const V z = hn::LoadU(d, in + a * in_stride + j);
      STRATA_UNROLL for (std::size_t b = 0; b < B; ++b) sum[a][b] = hn::MulAdd(z, other[b], sum[a][b]);
    }
  }
  HWY_ALIGN T sums[4];
  STRATA_UNROLL for (std::size_t b = 0; b < B; ++b) {
    STRATA_UNROLL for (std::size_t a = 0; a < A; a += 4) {
      const auto of = [&](std::size_t row)
                          HWY_ATTR { return row < A ? sum[row < A ? row : 0][b] : hn::Zero(d); };
      four_lane_sums(d, of(a), of(a + 1), of(a + 2), of(a + 3), sums);
      STRATA_UNROLL for (std::size_t i = 0; i < 4; ++i) {
        if (a + i < A) gradient[(a + i) * gradient_stride + b] += double{sums[i]};
      }
    }
  }
}

template <std::size_t A, class T>
HWY_INLINE void dot_columns_of(std::size_t columns, const T* in, std::size_t in_stride, const T* delta,
                               std::size_t delta_stride, std::size_t samples, double* gradient,
                               std::size_t gradient_stride) {
  switch (columns) {
    case 1: return dot_tile<A, 1>(in, in_stride, delta, delta_stride, samples, gradient, gradient_stride);
    case 2: return dot_tile<A, 2>(in, in_stride, delta, delta_stride, samples, gradient, gradient_stride);
    case 3: return dot_tile<A, 3>(in, in_stride, delta, delta_stride, samples, gradient, gradient_stride);
    default: break;
  }
  if constexpr (many_registers) switch (columns) {
      case 4: return dot_tile<A, 4>(in, in_stride, delta, delta_stride, samples, gradient, gradient_stride);
      case 5: return dot_tile<A, 5>(in, in_stride, delta, delta_stride, samples, gradient, gradient_stride);
      case 6: return dot_tile<A, 6>(in, in_stride, delta, delta_stride, samples, gradient, gradient_stride);
      default: break;
    }
}

// One output: eight rows at a time keep the pipeline as full as a tile does.
inline constexpr std::size_t single_output_rows = 8;
template <class T>
HWY_INLINE void dot_single_output(std::size_t rows, const T* in, std::size_t in_stride, const T* delta,
                                  std::size_t samples, double* gradient, std::size_t gradient_stride) {
  switch (rows) {
    case 5: return dot_tile<5, 1>(in, in_stride, delta, 0, samples, gradient, gradient_stride);
    case 6: return dot_tile<6, 1>(in, in_stride, delta, 0, samples, gradient, gradient_stride);
    case 7: return dot_tile<7, 1>(in, in_stride, delta, 0, samples, gradient, gradient_stride);
    case 8: return dot_tile<8, 1>(in, in_stride, delta, 0, samples, gradient, gradient_stride);
    default:
      for (std::size_t r = 0; r < rows; ++r)
        dot_tile<1, 1>(in + r * in_stride, in_stride, delta, 0, samples, gradient + r * gradient_stride, 0);
  }
}

template <class T>
HWY_INLINE void dot_rows_of(std::size_t rows, std::size_t columns, const T* in, std::size_t in_stride,
                            const T* delta, std::size_t delta_stride, std::size_t samples, double* gradient,
                            std::size_t gradient_stride) {
  switch (rows) {
    case 1:
      return dot_columns_of<1>(columns, in, in_stride, delta, delta_stride, samples, gradient,
                               gradient_stride);
    case 2:
      return dot_columns_of<2>(columns, in, in_stride, delta, delta_stride, samples, gradient,
                               gradient_stride);
    case 3:
      return dot_columns_of<3>(columns, in, in_stride, delta, delta_stride, samples, gradient,
                               gradient_stride);
    default:
      return dot_columns_of<4>(columns, in, in_stride, delta, delta_stride, samples, gradient,
                               gradient_stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace strata
HWY_AFTER_NAMESPACE();

#endif
