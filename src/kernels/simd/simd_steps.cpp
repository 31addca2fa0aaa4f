// Highway compiles this file once per instruction set and picks one at run time.
#include "kernels/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd/simd_steps.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <cstddef>

#include "kernels/steps.h"
#include "strata/core/vector.h"

HWY_BEFORE_NAMESPACE();
namespace strata {
namespace HWY_NAMESPACE {
namespace steps {

namespace hn = hwy::HWY_NAMESPACE;

// body(d, i) for whole vectors, then for one element at a time. The arithmetic is that of the plain loops, operation by
// operation.
template <class Body>
HWY_INLINE void over_elements(std::size_t size, const Body& body) {
  const hn::ScalableTag<double> wide;
  const hn::CappedTag<double, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(wide) <= size; i += hn::Lanes(wide)) body(wide, i);
  for (; i < size; ++i) body(one, i);
}

double add_and_square(double scale, std::span<const double> w, std::span<double> g) {
  const hn::CappedTag<double, LaneSum::lanes> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t parts = LaneSum::lanes / lanes;
  hn::Vec<decltype(d)> sums[parts];
  for (auto& part : sums) part = hn::Zero(d);
  const std::size_t whole = g.size() / LaneSum::lanes * LaneSum::lanes;
  for (std::size_t i = 0; i < whole; i += LaneSum::lanes)
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t at = i + part * lanes;
      const auto move = hn::Mul(hn::Set(d, scale), hn::LoadU(d, w.data() + at));
      const auto sum = hn::Add(hn::LoadU(d, g.data() + at), move);
      hn::StoreU(sum, d, g.data() + at);
      sums[part] = hn::Add(sums[part], hn::Mul(sum, sum));
    }
  LaneSum total;
  for (std::size_t part = 0; part < parts; ++part) hn::StoreU(sums[part], d, &total[part * lanes]);
  for (std::size_t i = whole; i < g.size(); ++i) {
    g[i] += scale * w[i];
    total[i - whole] += g[i] * g[i];
  }
  return total.total();
}

void round(std::span<const double> from, float* to) {
  over_elements(from.size(), [&](auto d, std::size_t i) HWY_ATTR {
    const hn::Rebind<float, decltype(d)> single;
    hn::StoreU(hn::DemoteTo(single, hn::LoadU(d, from.data() + i)), single, to + i);
  });
}

void adam(const AdamStep& step, std::span<const double> g, std::span<double> m, std::span<double> v,
          std::span<double> w) {
  over_elements(w.size(), [&](auto d, std::size_t i) HWY_ATTR {
    const auto gradient = hn::LoadU(d, g.data() + i);
    const auto mean = hn::Add(hn::Mul(hn::Set(d, step.beta1), hn::LoadU(d, m.data() + i)),
                              hn::Mul(hn::Set(d, 1 - step.beta1), gradient));
    const auto square = hn::Add(hn::Mul(hn::Set(d, step.beta2), hn::LoadU(d, v.data() + i)),
                                hn::Mul(hn::Mul(hn::Set(d, 1 - step.beta2), gradient), gradient));
    hn::StoreU(mean, d, m.data() + i);
    hn::StoreU(square, d, v.data() + i);
    const auto root =
        hn::Add(hn::Mul(hn::Set(d, step.root_scale), hn::Sqrt(square)), hn::Set(d, step.epsilon));
    const auto move = hn::Div(hn::Mul(hn::Set(d, step.rate), mean), root);
    hn::StoreU(hn::Sub(hn::LoadU(d, w.data() + i), move), d, w.data() + i);
  });
}

void adagrad(const AdagradStep& step, std::span<const double> g, std::span<double> s, std::span<double> w) {
  over_elements(w.size(), [&](auto d, std::size_t i) HWY_ATTR {
    const auto gradient = hn::LoadU(d, g.data() + i);
    const auto sum = hn::Add(hn::LoadU(d, s.data() + i), hn::Mul(gradient, gradient));
    hn::StoreU(sum, d, s.data() + i);
    const auto root = hn::Add(hn::Sqrt(sum), hn::Set(d, step.epsilon));
    const auto move = hn::Div(hn::Mul(hn::Set(d, step.rate), gradient), root);
    hn::StoreU(hn::Sub(hn::LoadU(d, w.data() + i), move), d, w.data() + i);
  });
}

void gradient(double scale, std::span<const double> g, std::span<double> w) {
  over_elements(w.size(), [&](auto d, std::size_t i) HWY_ATTR {
    const auto move = hn::Mul(hn::Set(d, scale), hn::LoadU(d, g.data() + i));
    hn::StoreU(hn::Add(hn::LoadU(d, w.data() + i), move), d, w.data() + i);
  });
}

void svrg(double rate, std::span<const double> g, std::span<const double> at_snapshot,
          std::span<const double> full, std::span<double> w) {
  over_elements(w.size(), [&](auto d, std::size_t i) HWY_ATTR {
    const auto change = hn::Sub(hn::LoadU(d, g.data() + i), hn::LoadU(d, at_snapshot.data() + i));
    const auto move = hn::Mul(hn::Set(d, rate), hn::Add(change, hn::LoadU(d, full.data() + i)));
    hn::StoreU(hn::Sub(hn::LoadU(d, w.data() + i), move), d, w.data() + i);
  });
}

void saga(double rate, double share, std::span<const double> g, std::span<double> row, std::span<double> mean,
          std::span<double> w) {
  over_elements(w.size(), [&](auto d, std::size_t i) HWY_ATTR {
    const auto gradient = hn::LoadU(d, g.data() + i);
    const auto before = hn::LoadU(d, mean.data() + i);
    const auto change = hn::Sub(gradient, hn::LoadU(d, row.data() + i));
    const auto move = hn::Mul(hn::Set(d, rate), hn::Add(change, before));
    hn::StoreU(hn::Sub(hn::LoadU(d, w.data() + i), move), d, w.data() + i);
    hn::StoreU(hn::Add(before, hn::Mul(hn::Set(d, share), change)), d, mean.data() + i);
    hn::StoreU(gradient, d, row.data() + i);
  });
}

const StepKernels& table() {
  static constexpr StepKernels kernels{add_and_square, round, adam, adagrad, gradient, svrg, saga};
  return kernels;
}

}  // namespace steps
const StepKernels& step_table() { return steps::table(); }
}  // namespace HWY_NAMESPACE
}  // namespace strata
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strata {

HWY_EXPORT(step_table);

const StepKernels& simd_steps() { return HWY_DYNAMIC_DISPATCH(step_table)(); }

}  // namespace strata
#endif  // HWY_ONCE
