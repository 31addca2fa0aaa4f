#include "strata/data/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata {

Scale fit_scale(Scaling scaling, std::span<const double> values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double sum = 0;
  double count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
    ++count;
  }
  if (scaling == Scaling::none || count == 0) return {};
  // Decided on the values themselves: the rounded mean of a constant leaves a tiny, false deviation.
  if (low == high) return {.offset = low, .range = 0};
  if (scaling == Scaling::minmax) return {.offset = low, .range = high - low};
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values)
    if (!std::isnan(value)) squares += (value - mean) * (value - mean);
  return {.offset = mean, .range = std::sqrt(squares / count)};
}

}  // namespace strata
