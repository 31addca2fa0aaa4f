#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "strata/core/vector.h"
#include "strata/core/work.h"

namespace strata {

// All that a solver may know of what it minimises.
template <class F>
concept SmoothFunction = requires(F& f, std::span<const double> x, std::span<double> g) {
  { f.size() } -> std::convertible_to<std::size_t>;
  { f.value(x) } -> std::same_as<double>;
  { f.value_and_gradient(x, g) } -> std::same_as<double>;
};

// q(x) = x'Hx/2 + b'x + c with H symmetric: hessian_times(v, hv) writes H v.
template <class F>
concept QuadraticFunction = SmoothFunction<F> &&
    requires(F& f, std::span<const double> v, std::span<double> hv) {
  f.hessian_times(v, hv);
};

// A point, its value and its gradient travel together.
struct Sample {
  Vector x;
  double value = 0;
  Vector gradient;
};

inline bool finite(const Sample& sample) {
  return std::isfinite(sample.value) && all_finite(sample.gradient) && all_finite(sample.x);
}

template <SmoothFunction F>
void evaluate(F& f, std::span<const double> x, Sample& out) {
  out.x.assign(x.begin(), x.end());
  out.gradient.resize(x.size());
  out.value = f.value_and_gradient(out.x, out.gradient);
}

// A function that counts its calls, of any kind. If f keeps an account of its own (f.work()), the difference
// is the work of the solve; otherwise the calls are all there is to say.
template <SmoothFunction F>
class Counted {
 public:
  explicit Counted(F& f) : f_(f), before_(account()) {}

  [[nodiscard]] std::size_t size() const { return f_.size(); }
  double value(std::span<const double> x) { return ++calls_, f_.value(x); }
  double value_and_gradient(std::span<const double> x, std::span<double> g) {
    return ++calls_, f_.value_and_gradient(x, g);
  }
  void hessian_times(std::span<const double> v, std::span<double> hv) requires QuadraticFunction<F> {
    ++calls_, f_.hessian_times(v, hv);
  }

  [[nodiscard]] int calls() const { return calls_; }
  [[nodiscard]] Work work() const {
    if constexpr (keeps_account) return account() - before_;
    return {.evaluations = static_cast<std::uint64_t>(calls_)};
  }

 private:
  static constexpr bool keeps_account = requires(const F& f) {
    { f.work() } -> std::convertible_to<Work>;
  };
  [[nodiscard]] Work account() const {
    if constexpr (keeps_account) return f_.work();
    return {};
  }

  F& f_;
  int calls_ = 0;
  Work before_;
};

}  // namespace strata
