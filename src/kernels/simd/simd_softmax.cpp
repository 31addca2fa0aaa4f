// Highway compiles this file once per instruction set and picks one at run time.
#include "kernels/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd/simd_softmax.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <cstddef>

#include "kernels/simd/activation-inl.h"
#include "kernels/softmax.h"

HWY_BEFORE_NAMESPACE();
namespace strata {
namespace HWY_NAMESPACE {
namespace softmax {

// body(d, j) for whole vectors of samples, then for one sample at a time.
template <class Body>
HWY_INLINE void over_samples(std::size_t samples, const Body& body) {
  const hn::ScalableTag<double> wide;
  const hn::CappedTag<double, 1> one;
  std::size_t j = 0;
  for (; j + hn::Lanes(wide) <= samples; j += hn::Lanes(wide)) body(wide, j);
  for (; j < samples; ++j) body(one, j);
}

template <class D>
HWY_INLINE hn::Vec<D> largest(D d, ConstMatrix out, std::size_t j) {
  auto top = hn::LoadU(d, out.data() + j);
  for (std::size_t k = 1; k < out.rows(); ++k)
    top = hn::Max(top, hn::LoadU(d, out.data() + k * out.stride() + j));
  return top;
}

void totals(ConstMatrix out, std::span<double> top, std::span<double> total) {
  over_samples(out.columns(), [&](auto d, std::size_t j) HWY_ATTR {
    const auto most = largest(d, out, j);
    auto sum = hn::Zero(d);
    for (std::size_t k = 0; k < out.rows(); ++k)
      sum = hn::Add(sum, fast_exp(d, hn::Sub(hn::LoadU(d, out.data() + k * out.stride() + j), most)));
    hn::StoreU(most, d, top.data() + j);
    hn::StoreU(sum, d, total.data() + j);
  });
}

void probabilities(ConstMatrix out, std::span<double> top, std::span<double> total, Matrix p) {
  over_samples(out.columns(), [&](auto d, std::size_t j) HWY_ATTR {
    const auto most = largest(d, out, j);
    auto sum = hn::Zero(d);
    for (std::size_t k = 0; k < out.rows(); ++k) {
      const auto power = fast_exp(d, hn::Sub(hn::LoadU(d, out.data() + k * out.stride() + j), most));
      hn::StoreU(power, d, p.data() + k * p.stride() + j);
      sum = hn::Add(sum, power);
    }
    const auto share = hn::Div(one(d), sum);
    for (std::size_t k = 0; k < out.rows(); ++k) {
      double* const of_class = p.data() + k * p.stride() + j;
      hn::StoreU(hn::Mul(hn::LoadU(d, of_class), share), d, of_class);
    }
    hn::StoreU(most, d, top.data() + j);
    hn::StoreU(sum, d, total.data() + j);
  });
}

void curvature_times(ConstMatrix p, Matrix u) {
  over_samples(u.columns(), [&](auto d, std::size_t j) HWY_ATTR {
    auto mean = hn::Zero(d);
    for (std::size_t k = 0; k < u.rows(); ++k)
      mean = hn::MulAdd(hn::LoadU(d, p.data() + k * p.stride() + j),
                        hn::LoadU(d, u.data() + k * u.stride() + j), mean);
    for (std::size_t k = 0; k < u.rows(); ++k) {
      double* const of_class = u.data() + k * u.stride() + j;
      const auto from_mean = hn::Sub(hn::LoadU(d, of_class), mean);
      hn::StoreU(hn::Mul(hn::LoadU(d, p.data() + k * p.stride() + j), from_mean), d, of_class);
    }
  });
}

void root_times(ConstMatrix p, Matrix u) {
  over_samples(u.columns(), [&](auto d, std::size_t j) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (std::size_t k = 0; k < u.rows(); ++k) {
      double* const of_class = u.data() + k * u.stride() + j;
      const auto root = hn::Sqrt(hn::LoadU(d, p.data() + k * p.stride() + j));
      const auto scaled = hn::Mul(hn::LoadU(d, of_class), root);
      hn::StoreU(scaled, d, of_class);
      sum = hn::Add(sum, scaled);
    }
    for (std::size_t k = 0; k < u.rows(); ++k) {
      double* const of_class = u.data() + k * u.stride() + j;
      const auto share = hn::LoadU(d, p.data() + k * p.stride() + j);
      hn::StoreU(hn::NegMulAdd(share, sum, hn::LoadU(d, of_class)), d, of_class);
    }
  });
}

const SoftmaxKernels& table() {
  static constexpr SoftmaxKernels kernels{totals, probabilities, curvature_times, root_times};
  return kernels;
}

}  // namespace softmax
const SoftmaxKernels& softmax_table() { return softmax::table(); }
}  // namespace HWY_NAMESPACE
}  // namespace strata
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strata {

HWY_EXPORT(softmax_table);

const SoftmaxKernels& simd_softmax() { return HWY_DYNAMIC_DISPATCH(softmax_table)(); }

}  // namespace strata
#endif  // HWY_ONCE
