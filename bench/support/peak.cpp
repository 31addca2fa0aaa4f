#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "support/peak.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "support/peak.h"

HWY_BEFORE_NAMESPACE();
namespace strata::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double multiply_adds(std::size_t rounds) {
  const hn::CappedTag<double, 8> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t chains = 12;  // more than latency x throughput of any current core
  V sum[chains];
  for (std::size_t i = 0; i < chains; ++i) sum[i] = hn::Set(d, static_cast<double>(i));
  const V a = hn::Set(d, 0.999999);
  const V b = hn::Set(d, 1e-9);
  for (std::size_t r = 0; r < rounds; ++r) {
    _Pragma("GCC unroll 12") for (std::size_t i = 0; i < chains; ++i) sum[i] = hn::MulAdd(sum[i], a, b);
  }
  V total = sum[0];
  for (std::size_t i = 1; i < chains; ++i) total = hn::Add(total, sum[i]);
  // The comparison is never true; it keeps the sums alive.
  if (hn::GetLane(hn::SumOfLanes(d, total)) == 0.125) return 0;
  return 2.0 * static_cast<double>(rounds * chains * hn::Lanes(d));
}

}  // namespace HWY_NAMESPACE
}  // namespace strata::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strata::bench {
HWY_EXPORT(multiply_adds);
double register_only_multiply_adds(std::size_t rounds) { return HWY_DYNAMIC_DISPATCH(multiply_adds)(rounds); }
}  // namespace strata::bench
#endif
