#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace strata {

// What a box plot draws.
struct Spread {
  std::size_t values = 0;  // finite ones, the only ones that count
  double lowest = 0;
  double lower_quartile = 0;
  double median = 0;
  double upper_quartile = 0;
  double highest = 0;
};

// Quartiles by linear interpolation between the sorted values: the p-quantile of n values stands at place p (n - 1),
// counted from 0. Nothing where no value is finite.
std::optional<Spread> spread(std::vector<double> values);

}  // namespace strata
