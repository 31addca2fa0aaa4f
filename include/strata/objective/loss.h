#pragma once

#include <cstddef>
#include <span>

#include "strata/core/matrix.h"

namespace strata {

// The loss of outputs against targets, a replaceable part of the objective. Panels: outputs x samples, samples
// contiguous; only the first `samples` columns count, the rest is padding. `weights` has a factor for each of them, or is
// empty: all are 1.
class Loss {
 public:
  virtual ~Loss() = default;

  // Sum over samples of weight times loss.
  [[nodiscard]] virtual double value(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                                     std::size_t samples) const = 0;

  // The same, and delta = scale * weight * d loss / d out; zero in the padding.
  virtual double value_and_delta(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                                 std::size_t samples, double scale, Matrix delta) const = 0;

  // True for the squared loss alone: the output layer is then a linear least-squares problem.
  [[nodiscard]] virtual bool is_squared() const { return false; }
};

const Loss& squared_loss();  // ||out - target||^2

}  // namespace strata
