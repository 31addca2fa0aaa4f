#pragma once

#include <span>

namespace strata {

enum class Scaling {
  minmax,    // (x - min) / (max - min): the fitted values fill [0, 1]
  standard,  // (x - mean) / sd, with the mean square deviation (divisor n)
  none,
};

// x -> (x - offset) / range. A constant column has range 0 and becomes 0, never NaN.
struct Scale {
  double offset = 0;
  double range = 1;

  [[nodiscard]] double apply(double value) const { return range == 0 ? 0 : (value - offset) / range; }
  [[nodiscard]] double invert(double scaled) const { return offset + scaled * range; }
  friend bool operator==(const Scale&, const Scale&) = default;
};

// Missing values (NaN) and values of weight 0 do not count; the others count as often as their weight says, all the same
// without weights. Without any value the scale is the identity.
Scale fit_scale(Scaling scaling, std::span<const double> values, std::span<const double> weights = {});

}  // namespace strata
