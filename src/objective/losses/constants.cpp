#include "objective/losses/constants.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "objective/losses/panels.h"

namespace strata {

double weighted_mean(ConstMatrix targets, std::size_t column, std::span<const double> weights) {
  double sum = 0;
  double total = 0;
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    sum += weight_of(weights, row) * targets(row, column);
    total += weight_of(weights, row);
  }
  return sum / total;
}

double weighted_quantile(ConstMatrix targets, std::size_t column, std::span<const double> weights,
                         double level) {
  std::vector<std::size_t> order(targets.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return targets(a, column) != targets(b, column) ? targets(a, column) < targets(b, column) : a < b;
  });
  double total = 0;
  for (const std::size_t row : order) total += weight_of(weights, row);
  double below = 0;
  for (const std::size_t row : order) {
    below += weight_of(weights, row);
    if (below >= level * total && weight_of(weights, row) > 0) return targets(row, column);
  }
  return targets(order.back(), column);
}

double smoothed_share(double share, std::size_t rows, double prior) {
  const auto count = static_cast<double>(rows);
  return (share * count + prior) / (count + 1);
}

}  // namespace strata
