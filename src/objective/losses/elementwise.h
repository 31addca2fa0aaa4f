#pragma once

#include <cmath>

#include "objective/losses/panels.h"
#include "strata/objective/loss.h"

namespace strata {

// A loss that is a sum over outputs, each with a target of its own. F has
//   Point at(out, target)          value and derivative
//   double curvature(out, target)  of one output, > 0
template <class F>
class ElementwiseLoss : public Loss {
 public:
  struct Point {
    double value;
    double slope;
  };

  [[nodiscard]] double value(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                             std::size_t samples) const final {
    SampleSum sum;
    for (std::size_t o = 0; o < out.rows(); ++o)
      for (std::size_t j = 0; j < samples; ++j)
        sum.add(j, weight_of(weights, j) * self().at(out(o, j), target(o, j)).value);
    return sum.total();
  }

  double value_and_delta(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                         std::size_t samples, double scale, Matrix delta) const final {
    SampleSum sum;
    for (std::size_t o = 0; o < out.rows(); ++o)
      for (std::size_t j = 0; j < samples; ++j) {
        const Point point = self().at(out(o, j), target(o, j));
        const double weight = weight_of(weights, j);
        sum.add(j, weight * point.value);
        delta(o, j) = scale * weight * point.slope;
      }
    clear_padding(delta, samples);
    return sum.total();
  }

  void curvature(ConstMatrix out, ConstMatrix target, std::size_t samples, Matrix state) const final {
    for (std::size_t o = 0; o < out.rows(); ++o)
      for (std::size_t j = 0; j < samples; ++j) state(o, j) = self().curvature(out(o, j), target(o, j));
  }

  void curvature_times(ConstMatrix state, std::size_t samples, Matrix u) const final {
    for (std::size_t o = 0; o < u.rows(); ++o)
      for (std::size_t j = 0; j < samples; ++j) u(o, j) *= state(o, j);
  }

  void root_times(ConstMatrix state, std::size_t samples, Matrix u) const final {
    for (std::size_t o = 0; o < u.rows(); ++o)
      for (std::size_t j = 0; j < samples; ++j) u(o, j) *= std::sqrt(state(o, j));
  }

 private:
  [[nodiscard]] const F& self() const { return static_cast<const F&>(*this); }
};

}  // namespace strata
