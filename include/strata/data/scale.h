#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "strata/parallel/communicator.h"

namespace strata {

enum class Scaling {
  minmax,    // (x - min) / (max - min): the fitted values fill [0, 1]
  standard,  // (x - mean) / sd, with the mean square deviation (divisor n)
  none,
};
constexpr auto names_of(Scaling) { return std::to_array<std::string_view>({"minmax", "standard", "none"}); }

// x -> (x - offset) / range. A constant column has range 0 and becomes 0, never NaN. Values very far outside of the fitted
// ones end at +-farthest, so that sums over inputs stay finite.
struct Scale {
  static constexpr double farthest = 1e100;
  double offset = 0;
  double range = 1;

  [[nodiscard]] double apply(double value) const {
    return range == 0 ? 0 : std::clamp((value - offset) / range, -farthest, farthest);
  }
  [[nodiscard]] double invert(double scaled) const { return offset + scaled * range; }
  friend bool operator==(const Scale&, const Scale&) = default;
};

// What a scale is made from. Missing values (NaN) and values of weight 0 do not count; the others count as often as their
// weight says, all the same without weights. The sums are exact until they are rounded once, so that it matters neither
// in which order the values stand nor how processes share them; all of them call together.
struct NumberSummary {
  double count = 0;  // sum of the weights
  double low = 0;
  double high = 0;
  double mean = 0;       // 0 without any value
  double deviation = 0;  // root of the mean square of value - mean
};
NumberSummary summarise(std::span<const double> values, std::span<const double> weights = {},
                        Communicator& processes = single_process());

// Without any value the scale is the identity.
Scale fit_scale(Scaling scaling, const NumberSummary& summary);

}  // namespace strata
