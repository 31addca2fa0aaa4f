#include "study/spread.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

double quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::optional<Spread> spread(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Spread{.values = values.size(),
                .lowest = values.front(),
                .lower_quartile = quantile(values, 0.25),
                .median = quantile(values, 0.5),
                .upper_quartile = quantile(values, 0.75),
                .highest = values.back()};
}

}  // namespace strata
