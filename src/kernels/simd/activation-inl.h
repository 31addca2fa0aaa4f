// Activations on vectors. Included once per instruction set (see simd_kernels.cpp), hence no #pragma once.
#if defined(STRATA_ACTIVATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef STRATA_ACTIVATION_INL_H
#undef STRATA_ACTIVATION_INL_H
#else
#define STRATA_ACTIVATION_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace strata {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of at most a cache line, so that panels are a whole number of them.
template <class T>
using Vectors = hn::CappedTag<T, panel_quantum<T>>;

// min and max with a limit that let NaN through: vector hardware returns the second operand when one is NaN, Highway's
// scalar target the other one.
template <class V>
HWY_INLINE V at_most(V limit, V x) {
  return HWY_TARGET == HWY_SCALAR ? hn::IfThenElse(hn::Gt(x, limit), limit, x) : hn::Min(limit, x);
}
template <class V>
HWY_INLINE V at_least(V limit, V x) {
  return HWY_TARGET == HWY_SCALAR ? hn::IfThenElse(hn::Lt(x, limit), limit, x) : hn::Max(limit, x);
}

// What exp needs to know of its numbers. Adding 1.5 * 2^mantissa rounds to an integer and leaves it in the low mantissa
// bits; ln 2 is the sum of a short number, whose multiples are exact, and the rest.
template <class T>
struct ExpConstants;
template <>
struct ExpConstants<double> {
  static constexpr int mantissa = 52;
  static constexpr double most = 708;
  static constexpr double magic = 6755399441055744.0;
  static constexpr double ln2 = 6.93147180369123816490e-01;
  static constexpr double ln2_rest = 1.90821492927058770002e-10;
};
template <>
struct ExpConstants<float> {
  static constexpr int mantissa = 23;
  static constexpr float most = 86;
  static constexpr float magic = 12582912.0F;
  static constexpr float ln2 = 0.693359375F;
  static constexpr float ln2_rest = -2.12194440e-4F;
};

// exp(r) for |r| <= ln2/2, interpolated at Chebyshev points, in Estrin's order.
template <class D, class V>
HWY_INLINE V exp_polynomial(D d, V r) {
  using T = hn::TFromD<D>;
  const auto pair = [d, r](T c1, T c0) HWY_ATTR { return hn::MulAdd(hn::Set(d, c1), r, hn::Set(d, c0)); };
  const V r2 = hn::Mul(r, r);
  const V r4 = hn::Mul(r2, r2);
  if constexpr (sizeof(T) == sizeof(float)) {  // degree 6, relative error 9e-9
    const V low = hn::MulAdd(pair(0.166664988F, 0.5F), r2, pair(1.0F, 1.0F));
    const V high = hn::MulAdd(hn::Set(d, 0.00139345415F), r2, pair(0.00836986955F, 0.0416664556F));
    return hn::MulAdd(high, r4, low);
  } else {  // degree 10, relative error 3.4e-16
    const V r8 = hn::Mul(r4, r4);
    const V p01 = pair(1.0000000000000067, 1.0);
    const V p23 = pair(0.16666666666554314, 0.5000000000000006);
    const V p45 = pair(0.008333333385699212, 0.041666666666573066);
    const V p67 = pair(0.00019841170230570286, 0.001388888893251478);
    const V p89 = pair(2.764019739169484e-06, 2.480150431378554e-05);
    const V low = hn::MulAdd(p23, r2, p01);
    const V middle = hn::MulAdd(p67, r2, p45);
    const V high = hn::MulAdd(hn::Set(d, 2.7626371065696354e-07), r2, p89);
    return hn::MulAdd(high, r8, hn::MulAdd(middle, r4, low));
  }
}

// exp(x), relative error a few units in the last place, x clamped to the range of normal results; NaN stays NaN. Shorter
// than Highway's, which also serves results below that range: 2^k is placed into the exponent directly.
template <class D, class V>
HWY_INLINE V fast_exp(D d, V x) {
  using Constants = ExpConstants<hn::TFromD<D>>;
  const hn::RebindToSigned<D> di;
  x = at_least(hn::Set(d, -Constants::most), at_most(hn::Set(d, Constants::most), x));
  const V magic = hn::Set(d, Constants::magic);
  const V shifted = hn::MulAdd(x, hn::Set(d, static_cast<hn::TFromD<D>>(1.4426950408889634)), magic);
  const V k = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(k, hn::Set(d, Constants::ln2), x);
  r = hn::NegMulAdd(k, hn::Set(d, Constants::ln2_rest), r);
  // 2^k is a shift of the exponent field; the polynomial is in [0.7, 1.42], which keeps the result normal.
  const auto exponent = hn::ShiftLeft<Constants::mantissa>(hn::BitCast(di, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, exp_polynomial(d, r)), exponent));
}

template <class D>
HWY_INLINE hn::Vec<D> one(D d) {
  return hn::Set(d, hn::TFromD<D>{1});
}

template <class D, class V>
HWY_INLINE V fast_sigmoid(D d, V a) {
  return hn::Div(one(d), hn::Add(one(d), fast_exp(d, hn::Neg(a))));
}

// value(a): z = g(a).   slope(z): g'(a) from z.   Activations that store their slope also give slope_at(a).
struct Linear {
  template <class D, class V>
  static HWY_INLINE V value(D, V a) {
    return a;
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V) {
    return one(d);
  }
};
struct Sigmoid {
  template <class D, class V>
  static HWY_INLINE V value(D d, V a) {
    return fast_sigmoid(d, a);
  }
  template <class D, class V>
  static HWY_INLINE V slope(D, V z) {
    return hn::NegMulAdd(z, z, z);
  }
};
struct Tanh {
  template <class D, class V>
  static HWY_INLINE V value(D d, V a) {
    return hn::Tanh(d, a);
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    return hn::NegMulAdd(z, z, one(d));
  }
};
struct Relu {
  template <class D, class V>
  static HWY_INLINE V value(D d, V a) {
    return at_least(hn::Zero(d), a);
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    return hn::IfThenElseZero(hn::Gt(z, hn::Zero(d)), one(d));
  }
};
struct LeakyRelu {
  template <class D, class V>
  static HWY_INLINE V value(D d, V a) {
    return hn::Max(a, hn::Mul(a, hn::Set(d, static_cast<hn::TFromD<D>>(leaky_slope))));
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    return hn::IfThenElse(hn::Gt(z, hn::Zero(d)), one(d),
                          hn::Set(d, static_cast<hn::TFromD<D>>(leaky_slope)));
  }
};
struct Elu {
  template <class D, class V>
  static HWY_INLINE V value(D d, V a) {
    return hn::IfThenElse(hn::Gt(a, hn::Zero(d)), a, hn::Expm1(d, at_most(hn::Zero(d), a)));
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    return hn::IfThenElse(hn::Gt(z, hn::Zero(d)), one(d), hn::Add(z, one(d)));
  }
};
struct Softplus {
  template <class D, class V>
  static HWY_INLINE V value(D d, V a) {
    return hn::Add(at_least(hn::Zero(d), a), hn::Log1p(d, fast_exp(d, hn::Neg(hn::Abs(a)))));
  }
  template <class D, class V>
  static HWY_INLINE V slope_at(D d, V a) {
    return fast_sigmoid(d, a);
  }
};
struct Silu {
  template <class D, class V>
  static HWY_INLINE V value(D d, V a) {
    return hn::Mul(a, fast_sigmoid(d, a));
  }
  template <class D, class V>
  static HWY_INLINE V slope_at(D d, V a) {
    const V s = fast_sigmoid(d, a);
    return hn::MulAdd(hn::Mul(s, a), hn::Sub(one(d), s), s);
  }
};
struct Gaussian {
  template <class D, class V>
  static HWY_INLINE V value(D d, V a) {
    return fast_exp(d, hn::Neg(a));
  }
  template <class D, class V>
  static HWY_INLINE V slope(D, V z) {
    return hn::Neg(z);
  }
};
struct Multiquadric {
  template <class D, class V>
  static HWY_INLINE V value(D d, V a) {
    return hn::Sqrt(hn::Add(one(d), at_least(hn::Zero(d), a)));
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    return hn::Div(hn::Set(d, hn::TFromD<D>{0.5}), z);
  }
};
struct InverseMultiquadric {
  template <class D, class V>
  static HWY_INLINE V value(D d, V a) {
    return hn::Div(one(d), Multiquadric::value(d, a));
  }
  template <class D, class V>
  static HWY_INLINE V slope(D d, V z) {
    return hn::Mul(hn::Mul(hn::Set(d, hn::TFromD<D>{-0.5}), z), hn::Mul(z, z));
  }
};
// The derivative as the forward pass has stored it.
struct Stored {
  template <class D, class V>
  static HWY_INLINE V slope(D, V s) {
    return s;
  }
};

template <class G>
concept StoresSlope = requires(Vectors<double> d, hn::Vec<Vectors<double>> a) {
  G::slope_at(d, a);
};

// call(G()) with the kernel G of an activation.
template <class Call>
HWY_INLINE void with_activation(Activation g, const Call& call) {
  switch (g) {
    case Activation::linear: return call(Linear());
    case Activation::sigmoid: return call(Sigmoid());
    case Activation::tanh: return call(Tanh());
    case Activation::relu: return call(Relu());
    case Activation::leaky_relu: return call(LeakyRelu());
    case Activation::elu: return call(Elu());
    case Activation::softplus: return call(Softplus());
    case Activation::silu: return call(Silu());
    case Activation::gaussian: return call(Gaussian());
    case Activation::multiquadric: return call(Multiquadric());
    case Activation::inverse_multiquadric: return call(InverseMultiquadric());
  }
}

// The same for derivatives: call(G(), panel) with what they are computed from, z, or the stored slope itself.
template <class T, class Call>
HWY_INLINE void with_slope(Activation g, MatrixView<const T> z, MatrixView<const T> slope, const Call& call) {
  with_activation(g, [&](auto kind) HWY_ATTR {
    if constexpr (StoresSlope<decltype(kind)>)
      call(Stored(), slope);
    else
      call(kind, z);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace strata
HWY_AFTER_NAMESPACE();

#endif
