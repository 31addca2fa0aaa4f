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
  const std::size_t pieces = (count + most - 1) / most;
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
template <std::size_t M, std::size_t N>
HWY_INLINE void product_tile(const double* HWY_RESTRICT w, std::size_t w_out, std::size_t w_in,
                             std::size_t inner, const double* HWY_RESTRICT in, std::size_t in_stride,
                             double* HWY_RESTRICT out, std::size_t out_stride) {
  const D d;
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

template <std::size_t N>
HWY_INLINE void product_rows(std::size_t rows, const double* w, std::size_t w_out, std::size_t w_in,
                             std::size_t inner, const double* in, std::size_t in_stride, double* out,
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

// gradient[k * stride + o] += sum_j in[k][j] * delta[o][j]   for A rows k and B rows o.
template <std::size_t A, std::size_t B>
HWY_INLINE void dot_tile(const double* HWY_RESTRICT in, std::size_t in_stride,
                         const double* HWY_RESTRICT delta, std::size_t delta_stride, std::size_t samples,
                         double* HWY_RESTRICT gradient, std::size_t gradient_stride) {
  const D d;
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
  STRATA_UNROLL for (std::size_t a = 0; a < A; ++a) {
    STRATA_UNROLL for (std::size_t b = 0; b < B; ++b) {
      gradient[a * gradient_stride + b] += hn::GetLane(hn::SumOfLanes(d, sum[a][b]));
    }
  }
}

template <std::size_t A>
HWY_INLINE void dot_columns_of(std::size_t columns, const double* in, std::size_t in_stride,
                               const double* delta, std::size_t delta_stride, std::size_t samples,
                               double* gradient, std::size_t gradient_stride) {
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
HWY_INLINE void dot_single_output(std::size_t rows, const double* in, std::size_t in_stride,
                                  const double* delta, std::size_t samples, double* gradient,
                                  std::size_t gradient_stride) {
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

HWY_INLINE void dot_rows_of(std::size_t rows, std::size_t columns, const double* in, std::size_t in_stride,
                            const double* delta, std::size_t delta_stride, std::size_t samples,
                            double* gradient, std::size_t gradient_stride) {
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
