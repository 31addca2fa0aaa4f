// Activations on vectors. Included once per instruction set (see simd_kernels.cpp), hence no #pragma once.
#if defined(STRATA_ACTIVATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef STRATA_ACTIVATION_INL_H
#undef STRATA_ACTIVATION_INL_H
#else
#define STRATA_ACTIVATION_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "strata/kernels/activation.h"

HWY_BEFORE_NAMESPACE();
namespace strata {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;

// min and max with a limit that let NaN through: vector hardware returns the second operand when one is NaN, Highway's
// scalar target the other one.
HWY_INLINE V at_most(V limit, V x) {
  return HWY_TARGET == HWY_SCALAR ? hn::IfThenElse(hn::Gt(x, limit), limit, x) : hn::Min(limit, x);
}
HWY_INLINE V at_least(V limit, V x) {
  return HWY_TARGET == HWY_SCALAR ? hn::IfThenElse(hn::Lt(x, limit), limit, x) : hn::Max(limit, x);
}

// exp(x), relative error a few 1e-16, x clamped to [-708, 708]; NaN stays NaN. Shorter than Highway's, which also
// serves results below the normal range: 2^k is placed into the exponent directly.
HWY_INLINE V fast_exp(D d, V x) {
  const hn::RebindToSigned<D> di;
  x = at_least(hn::Set(d, -708.0), at_most(hn::Set(d, 708.0), x));
  // Adding 1.5 * 2^52 rounds to an integer and leaves it in the low mantissa bits.
  const V magic = hn::Set(d, 6755399441055744.0);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.4426950408889634), magic);
  const V k = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(k, hn::Set(d, 6.93147180369123816490e-01), x);
  r = hn::NegMulAdd(k, hn::Set(d, 1.90821492927058770002e-10), r);
  // Degree 10, interpolated at the Chebyshev points of |r| <= ln2/2 (relative error 3.4e-16), in Estrin's order.
  const V r2 = hn::Mul(r, r);
  const V r4 = hn::Mul(r2, r2);
  const V r8 = hn::Mul(r4, r4);
  const auto pair = [d, r](double c1, double c0)
                        HWY_ATTR { return hn::MulAdd(hn::Set(d, c1), r, hn::Set(d, c0)); };
  const V p01 = pair(1.0000000000000067, 1.0);
  const V p23 = pair(0.16666666666554314, 0.5000000000000006);
  const V p45 = pair(0.008333333385699212, 0.041666666666573066);
  const V p67 = pair(0.00019841170230570286, 0.001388888893251478);
  const V p89 = pair(2.764019739169484e-06, 2.480150431378554e-05);
  const V low = hn::MulAdd(p23, r2, p01);
  const V middle = hn::MulAdd(p67, r2, p45);
  const V high = hn::MulAdd(hn::Set(d, 2.7626371065696354e-07), r2, p89);
  const V p = hn::MulAdd(high, r8, hn::MulAdd(middle, r4, low));
  // 2^k is a shift of the exponent field; p in [0.7, 1.42] keeps the result normal for |k| <= 1021.
  const auto exponent = hn::ShiftLeft<52>(hn::BitCast(di, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
}

HWY_INLINE V fast_sigmoid(D d, V a) {
  const V one = hn::Set(d, 1.0);
  return hn::Div(one, hn::Add(one, fast_exp(d, hn::Neg(a))));
}

// value(a): z = g(a).   slope(z): g'(a) from z.   Activations that store their slope also give slope_at(a).
struct Linear {
  static HWY_INLINE V value(D, V a) { return a; }
  static HWY_INLINE V slope(D d, V) { return hn::Set(d, 1.0); }
};
struct Sigmoid {
  static HWY_INLINE V value(D d, V a) { return fast_sigmoid(d, a); }
  static HWY_INLINE V slope(D, V z) { return hn::NegMulAdd(z, z, z); }
};
struct Tanh {
  static HWY_INLINE V value(D d, V a) { return hn::Tanh(d, a); }
  static HWY_INLINE V slope(D d, V z) { return hn::NegMulAdd(z, z, hn::Set(d, 1.0)); }
};
struct Relu {
  static HWY_INLINE V value(D d, V a) { return at_least(hn::Zero(d), a); }
  static HWY_INLINE V slope(D d, V z) { return hn::IfThenElseZero(hn::Gt(z, hn::Zero(d)), hn::Set(d, 1.0)); }
};
struct LeakyRelu {
  static HWY_INLINE V value(D d, V a) { return hn::Max(a, hn::Mul(a, hn::Set(d, leaky_slope))); }
  static HWY_INLINE V slope(D d, V z) {
    return hn::IfThenElse(hn::Gt(z, hn::Zero(d)), hn::Set(d, 1.0), hn::Set(d, leaky_slope));
  }
};
struct Elu {
  static HWY_INLINE V value(D d, V a) {
    return hn::IfThenElse(hn::Gt(a, hn::Zero(d)), a, hn::Expm1(d, at_most(hn::Zero(d), a)));
  }
  static HWY_INLINE V slope(D d, V z) {
    return hn::IfThenElse(hn::Gt(z, hn::Zero(d)), hn::Set(d, 1.0), hn::Add(z, hn::Set(d, 1.0)));
  }
};
struct Softplus {
  static HWY_INLINE V value(D d, V a) {
    return hn::Add(at_least(hn::Zero(d), a), hn::Log1p(d, fast_exp(d, hn::Neg(hn::Abs(a)))));
  }
  static HWY_INLINE V slope_at(D d, V a) { return fast_sigmoid(d, a); }
};
struct Silu {
  static HWY_INLINE V value(D d, V a) { return hn::Mul(a, fast_sigmoid(d, a)); }
  static HWY_INLINE V slope_at(D d, V a) {
    const V s = fast_sigmoid(d, a);
    return hn::MulAdd(hn::Mul(s, a), hn::Sub(hn::Set(d, 1.0), s), s);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace strata
HWY_AFTER_NAMESPACE();

#endif
