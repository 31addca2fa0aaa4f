// Highway compiles this file once per instruction set and picks one at run time.
#include "kernels/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd/simd_kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>

#include "kernels/kernels.h"
#include "kernels/simd/activation-inl.h"
#include "kernels/simd/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strata {
namespace HWY_NAMESPACE {

// Strips of samples from left to right; within a strip all outputs, so that its inputs stay in the first-level cache
// and the epilogue (activation or its derivative) finds the results there. epilogue(first sample, samples).
template <std::size_t N, class T, class Epilogue>
HWY_INLINE std::size_t product_strips(std::size_t start, const T* w, std::size_t w_out, std::size_t w_in,
                                      std::size_t inner, MatrixView<const T> in, MatrixView<T> out,
                                      const Epilogue& epilogue) {
  const std::size_t width = N * hn::Lanes(Vectors<T>());
  std::size_t j = start;
  for (; j + width <= out.columns(); j += width) {
    in_even_pieces(out.rows(), tile_rows, [&](std::size_t o, std::size_t rows) HWY_ATTR {
      product_rows<N>(rows, w + o * w_out, w_out, w_in, inner, in.data() + j, in.stride(),
                      out.data() + o * out.stride() + j, out.stride());
    });
    epilogue(j, width);
  }
  return j;
}

template <class T, class Epilogue>
HWY_INLINE void product(const T* w, std::size_t w_out, std::size_t w_in, std::size_t inner,
                        MatrixView<const T> in, MatrixView<T> out, const Epilogue& epilogue) {
  std::size_t j = 0;
  if (out.rows() <= 2) {
    const std::size_t width = narrow_vectors * hn::Lanes(Vectors<T>());
    for (; j + width <= out.columns(); j += width) {
      if (out.rows() == 1)
        product_tile<1, narrow_vectors>(w, w_out, w_in, inner, in.data() + j, in.stride(), out.data() + j, 0);
      else
        product_tile<2, narrow_vectors / 2>(w, w_out, w_in, inner, in.data() + j, in.stride(), out.data() + j,
                                            out.stride()),
            product_tile<2, narrow_vectors / 2>(w, w_out, w_in, inner, in.data() + j + width / 2, in.stride(),
                                                out.data() + j + width / 2, out.stride());
      epilogue(j, width);
    }
  }
  j = product_strips<strip_vectors>(j, w, w_out, w_in, inner, in, out, epilogue);
  if constexpr (strip_vectors > 2) j = product_strips<2>(j, w, w_out, w_in, inner, in, out, epilogue);
  product_strips<1>(j, w, w_out, w_in, inner, in, out, epilogue);
}

template <class G, class T>
void affine_with(MatrixView<const T> w, MatrixView<const T> in, MatrixView<T> out, MatrixView<T> slope) {
  const Vectors<T> d;
  const std::size_t lanes = hn::Lanes(d);
  product(w.data(), 1, w.stride(), w.rows(), in, out, [&](std::size_t first, std::size_t samples) HWY_ATTR {
    if constexpr (std::is_same_v<G, Linear>) return;
    for (std::size_t o = 0; o < out.rows(); ++o) {
      T* HWY_RESTRICT row = out.data() + o * out.stride() + first;
      for (std::size_t j = 0; j < samples; j += lanes) {
        const auto a = hn::LoadU(d, row + j);
        if constexpr (StoresSlope<G>)
          hn::StoreU(G::slope_at(d, a), d, slope.data() + o * slope.stride() + first + j);
        hn::StoreU(G::value(d, a), d, row + j);
      }
    }
  });
}

template <class T>
void affine(Activation g, MatrixView<const T> w, MatrixView<const T> in, MatrixView<T> out,
            MatrixView<T> slope) {
  with_activation(g, [&](auto kind) HWY_ATTR { affine_with<decltype(kind)>(w, in, out, slope); });
}

// From a single output the product is one multiplication: tiles would cost more than it does.
template <class G, class T>
void backward_from_single_output(MatrixView<const T> w, MatrixView<const T> delta, MatrixView<const T> z,
                                 MatrixView<T> out) {
  const Vectors<T> d;
  for (std::size_t k = 0; k < out.rows(); ++k) {
    const auto weight = hn::Set(d, w.data()[k * w.stride()]);
    T* HWY_RESTRICT row = out.data() + k * out.stride();
    for (std::size_t j = 0; j < out.columns(); j += hn::Lanes(d)) {
      auto product = hn::Mul(weight, hn::LoadU(d, delta.data() + j));
      if constexpr (!std::is_same_v<G, Linear>)
        product = hn::Mul(product, G::slope(d, hn::LoadU(d, z.data() + k * z.stride() + j)));
      hn::StoreU(product, d, row + j);
    }
  }
}

template <class G, class T>
void backward_with(MatrixView<const T> w, MatrixView<const T> delta, MatrixView<const T> z,
                   MatrixView<T> out) {
  if (w.columns() == 1) return backward_from_single_output<G>(w, delta, z, out);
  const Vectors<T> d;
  const std::size_t lanes = hn::Lanes(d);
  product(w.data(), w.stride(), 1, w.columns(), delta, out,
          [&](std::size_t first, std::size_t samples) HWY_ATTR {
            if constexpr (std::is_same_v<G, Linear>) return;
            for (std::size_t k = 0; k < out.rows(); ++k) {
              T* HWY_RESTRICT row = out.data() + k * out.stride() + first;
              const T* HWY_RESTRICT source = z.data() + k * z.stride() + first;
              for (std::size_t j = 0; j < samples; j += lanes)
                hn::StoreU(hn::Mul(hn::LoadU(d, row + j), G::slope(d, hn::LoadU(d, source + j))), d, row + j);
            }
          });
}

template <class T>
void backward(Activation g, MatrixView<const T> w, MatrixView<const T> delta, MatrixView<const T> z,
              MatrixView<const T> slope, MatrixView<T> out) {
  with_slope(g, z, slope, [&](auto kind, MatrixView<const T> from) HWY_ATTR {
    backward_with<decltype(kind)>(w, delta, from, out);
  });
}

// Many samples: dot products along them; of column o those with the first rows_for(o) rows.
template <class T, class RowsFor>
HWY_INLINE void products_by_dots(MatrixView<const T> in, MatrixView<const T> delta, Matrix gradient,
                                 const RowsFor& rows_for) {
  if (delta.rows() == 1) {
    in_even_pieces(in.rows(), single_output_rows, [&](std::size_t k, std::size_t rows) HWY_ATTR {
      dot_single_output(rows, in.data() + k * in.stride(), in.stride(), delta.data(), in.columns(),
                        gradient.data() + k * gradient.stride(), gradient.stride());
    });
    return;
  }
  in_even_pieces(delta.rows(), dot_columns, [&](std::size_t o, std::size_t columns) HWY_ATTR {
    in_even_pieces(rows_for(o + columns - 1), dot_rows, [&](std::size_t k, std::size_t rows) HWY_ATTR {
      dot_rows_of(rows, columns, in.data() + k * in.stride(), in.stride(), delta.data() + o * delta.stride(),
                  delta.stride(), in.columns(), gradient.data() + k * gradient.stride() + o,
                  gradient.stride());
    });
  });
}

// Few samples: adding up the lanes of each dot product would take as long as the products. Instead two vectors of
// outputs are transposed to lie side by side, and the product tile runs over the samples.
inline constexpr std::size_t few_samples = 64;

// turned(j, i) = delta(first + i, j), in rows of `width`. Square pieces of 16 bytes a row turn in registers.
template <class T>
HWY_INLINE void turn(MatrixView<const T> delta, std::size_t first, std::size_t outputs, std::size_t width,
                     T* HWY_RESTRICT turned) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t side = 16 / sizeof(T);
  const hn::CappedTag<T, side> d;
  for (; i + side <= outputs; i += side) {
    const T* HWY_RESTRICT from = delta.data() + (first + i) * delta.stride();
    for (std::size_t j = 0; j < delta.columns(); j += side) {
      const auto row = [&](std::size_t r) HWY_ATTR { return hn::LoadU(d, from + r * delta.stride() + j); };
      const auto put = [&](std::size_t r, auto v)
                           HWY_ATTR { hn::StoreU(hn::BitCast(d, v), d, turned + (j + r) * width + i); };
      const auto low = hn::InterleaveLower(d, row(0), row(1));
      const auto high = hn::InterleaveUpper(d, row(0), row(1));
      if constexpr (side == 2) {
        put(0, low);
        put(1, high);
      } else {
        const hn::RepartitionToWide<decltype(d)> pairs;
        const auto next_low = hn::BitCast(pairs, hn::InterleaveLower(d, row(2), row(3)));
        const auto next_high = hn::BitCast(pairs, hn::InterleaveUpper(d, row(2), row(3)));
        put(0, hn::InterleaveLower(pairs, hn::BitCast(pairs, low), next_low));
        put(1, hn::InterleaveUpper(pairs, hn::BitCast(pairs, low), next_low));
        put(2, hn::InterleaveLower(pairs, hn::BitCast(pairs, high), next_high));
        put(3, hn::InterleaveUpper(pairs, hn::BitCast(pairs, high), next_high));
      }
    }
  }
#endif
  for (; i < width; ++i)
    for (std::size_t j = 0; j < delta.columns(); ++j)
      turned[j * width + i] = i < outputs ? delta.data()[(first + i) * delta.stride() + j] : T{0};
}

template <class T>
void weight_gradient_by_outputs(MatrixView<const T> in, MatrixView<const T> delta, Matrix gradient) {
  constexpr std::size_t most_lanes = panel_quantum<T>;
  const std::size_t lanes = hn::Lanes(Vectors<T>());
  HWY_ALIGN T turned[few_samples * 2 * most_lanes];
  HWY_ALIGN T sums[tile_rows * 2 * most_lanes];
  for (std::size_t o = 0; o < delta.rows(); o += 2 * lanes) {
    const std::size_t outputs = std::min(2 * lanes, delta.rows() - o);
    const std::size_t width = outputs > lanes ? 2 * lanes : lanes;
    turn(delta, o, outputs, width, turned);
    in_even_pieces(in.rows(), tile_rows, [&](std::size_t k, std::size_t rows) HWY_ATTR {
      const auto product = outputs > lanes ? product_rows<2, T> : product_rows<1, T>;
      product(rows, in.data() + k * in.stride(), in.stride(), 1, in.columns(), turned, width, sums, width);
      for (std::size_t r = 0; r < rows; ++r) {
        double* HWY_RESTRICT to = gradient.data() + (k + r) * gradient.stride() + o;
        for (std::size_t i = 0; i < outputs; ++i) to[i] += double{sums[r * width + i]};
      }
    });
  }
}

template <class T>
void weight_gradient(MatrixView<const T> in, MatrixView<const T> delta, Matrix gradient) {
  if (in.columns() <= few_samples && delta.rows() >= 4)
    weight_gradient_by_outputs(in, delta, gradient);
  else
    products_by_dots(in, delta, gradient, [in](std::size_t) { return in.rows(); });
}

template <class T>
void upper_products(MatrixView<const T> z, Matrix sums) {
  if (z.columns() <= few_samples && z.rows() >= 4)
    weight_gradient_by_outputs(z, z, sums);
  else
    products_by_dots(z, z, sums, [](std::size_t o) { return o + 1; });
}

template <class T>
void column_dots(MatrixView<const T> a, MatrixView<const T> b, T* HWY_RESTRICT sums) {
  const Vectors<T> d;
  for (std::size_t j = 0; j < a.columns(); j += hn::Lanes(d)) {
    const T* HWY_RESTRICT from_a = a.data() + j;
    const T* HWY_RESTRICT from_b = b.data() + j;
    auto even = hn::Zero(d);  // two chains hide the latency of the additions
    auto odd = hn::Zero(d);
    std::size_t o = 0;
    for (; o + 2 <= a.rows(); o += 2) {
      even = hn::MulAdd(hn::LoadU(d, from_a), hn::LoadU(d, from_b), even);
      odd = hn::MulAdd(hn::LoadU(d, from_a + a.stride()), hn::LoadU(d, from_b + b.stride()), odd);
      from_a += 2 * a.stride();
      from_b += 2 * b.stride();
    }
    if (o < a.rows()) even = hn::MulAdd(hn::LoadU(d, from_a), hn::LoadU(d, from_b), even);
    hn::StoreU(hn::Add(even, odd), d, sums + j);
  }
}

template <class T>
void scale_columns(MatrixView<const T> a, const T* HWY_RESTRICT factors, bool add, MatrixView<T> out) {
  const Vectors<T> d;
  for (std::size_t o = 0; o < a.rows(); ++o) {
    const T* HWY_RESTRICT from = a.data() + o * a.stride();
    T* HWY_RESTRICT to = out.data() + o * out.stride();
    for (std::size_t j = 0; j < a.columns(); j += hn::Lanes(d)) {
      const auto before = add ? hn::LoadU(d, to + j) : hn::Zero(d);
      hn::StoreU(hn::MulAdd(hn::LoadU(d, from + j), hn::LoadU(d, factors + j), before), d, to + j);
    }
  }
}

// The table for this instruction set.
template <class T>
const Kernels<T>& table() {
  static constexpr Kernels<T> kernels{
      "simd",         affine<T>,       backward<T>, weight_gradient<T>, upper_products<T>,
      column_dots<T>, scale_columns<T>};
  return kernels;
}
const Kernels<double>& double_table() { return table<double>(); }
const Kernels<float>& float_table() { return table<float>(); }

}  // namespace HWY_NAMESPACE
}  // namespace strata
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strata {

HWY_EXPORT(double_table);
HWY_EXPORT(float_table);

template <>
const Kernels<double>& simd_kernels() {
  return HWY_DYNAMIC_DISPATCH(double_table)();
}
template <>
const Kernels<float>& simd_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}

}  // namespace strata
#endif  // HWY_ONCE
