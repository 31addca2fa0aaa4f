#include "strata/data/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata {

Scale fit_scale(Scaling scaling, std::span<const double> values, std::span<const double> weights) {
  const auto weight = [&](std::size_t i) {
    if (std::isnan(values[i])) return 0.0;
    return weights.empty() ? 1.0 : weights[i];
  };
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weight(i) == 0) continue;
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
    sum += weight(i) * values[i];
    count += weight(i);
  }
  if (scaling == Scaling::none || count == 0) return {};
  // Decided on the values themselves: the rounded mean of a constant leaves a tiny, false deviation.
  if (low == high) return {.offset = low, .range = 0};
  if (scaling == Scaling::minmax) return {.offset = low, .range = high - low};
  const double mean = sum / count;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (weight(i) > 0) squares += weight(i) * (values[i] - mean) * (values[i] - mean);
  return {.offset = mean, .range = std::sqrt(squares / count)};
}

}  // namespace strata
