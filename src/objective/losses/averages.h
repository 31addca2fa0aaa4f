#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

// Means of predictions, on the scale of the logarithm: exact where a prediction itself would round to 0 or 1.
namespace strata {

// log of the mean of exp(term(i)) over i < count, count > 0
template <class Term>
double log_mean_exp(std::size_t count, const Term& term) {
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) top = std::max(top, term(i));
  if (std::isinf(top)) return top;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::exp(term(i) - top);
  return top + std::log(sum / static_cast<double>(count));
}

inline double log_add_exp(double a, double b) {
  const double top = std::max(a, b);
  return std::isinf(top) ? top : top + std::log1p(std::exp(std::min(a, b) - top));
}

}  // namespace strata
