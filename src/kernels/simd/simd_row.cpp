// Highway compiles this file once per instruction set and picks one at run time.
#include "kernels/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd/simd_row.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "kernels/row.h"
#include "kernels/simd/activation-inl.h"
#include "kernels/simd/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strata {
namespace HWY_NAMESPACE {
namespace row {

using D = Vectors<double>;

// Neurons from `first` on, N vectors of them: the tile of the panels with samples and neurons exchanged.
template <std::size_t N>
HWY_INLINE void neurons(ConstMatrix w, const double* in, std::size_t first, double* out) {
  product_tile<1, N>(in, 0, 1, w.rows(), w.data() + first, w.stride(), out + first, 0);
}

HWY_INLINE void vectors_of_neurons(std::size_t vectors, ConstMatrix w, const double* in, std::size_t first,
                                   double* out) {
  switch (vectors) {
    case 1: return neurons<1>(w, in, first, out);
    case 2: return neurons<2>(w, in, first, out);
    case 3: return neurons<3>(w, in, first, out);
    case 4: return neurons<4>(w, in, first, out);
    case 5: return neurons<5>(w, in, first, out);
    case 6: return neurons<6>(w, in, first, out);
    case 7: return neurons<7>(w, in, first, out);
    default: return neurons<8>(w, in, first, out);
  }
}

HWY_INLINE void product_with(ConstMatrix w, const double* in, double* out) {
  const std::size_t lanes = hn::Lanes(D());
  const std::size_t width = w.columns();
  in_even_pieces(width / lanes, 8, [&](std::size_t first, std::size_t vectors) HWY_ATTR {
    vectors_of_neurons(vectors, w, in, first * lanes, out);
  });
  if (width % lanes == 0) return;
  if (width > lanes) return neurons<1>(w, in, width - lanes, out);  // some of them again
  const hn::CappedTag<double, 1> one_neuron;
  for (std::size_t o = 0; o < width; ++o) {
    auto sum = hn::Zero(one_neuron);
    for (std::size_t k = 0; k < w.rows(); ++k)
      sum = hn::MulAdd(hn::Set(one_neuron, in[k]), hn::LoadU(one_neuron, &w(k, o)), sum);
    hn::StoreU(sum, one_neuron, out + o);
  }
}

template <class G>
void affine_with(ConstMatrix w, const double* in, double* out) {
  product_with(w, in, out);
  if constexpr (std::is_same_v<G, Linear>) return;
  const D d;
  for (std::size_t o = 0; o < w.columns(); o += hn::Lanes(d))
    hn::StoreU(G::value(d, hn::LoadU(d, out + o)), d, out + o);
}

}  // namespace row

void row_affine(Activation g, ConstMatrix w, const double* in, double* out) {
  with_activation(g, [&](auto kind) HWY_ATTR { row::affine_with<decltype(kind)>(w, in, out); });
}

}  // namespace HWY_NAMESPACE
}  // namespace strata
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strata {

HWY_EXPORT(row_affine);

void affine_row(Activation g, ConstMatrix w, const double* in, double* out) {
  HWY_DYNAMIC_DISPATCH(row_affine)(g, w, in, out);
}

}  // namespace strata
#endif  // HWY_ONCE
