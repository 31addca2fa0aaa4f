#include "study/binomial.h"

#include <cmath>

namespace strata {

namespace {

// The chance of at least k successes in n trials, 0 < p < 1.
double at_least(std::size_t k, std::size_t n, double p) {
  double sum = 0;
  const auto trials = static_cast<double>(n);
  for (std::size_t i = k; i <= n; ++i) {
    const auto x = static_cast<double>(i);
    sum += std::exp(std::lgamma(trials + 1) - std::lgamma(x + 1) - std::lgamma(trials - x + 1) +
                    x * std::log(p) + (trials - x) * std::log1p(-p));
  }
  return sum;
}

// The p with which k or more successes have this chance, which grows with p.
double share_with(std::size_t k, std::size_t n, double chance) {
  double low = 0;
  double high = 1;
  constexpr int halvings = 50;  // to the rounding of a double
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (at_least(k, n, middle) < chance ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

ShareInterval share_interval(std::size_t successes, std::size_t trials, double level) {
  const double tail = (1 - level) / 2;
  ShareInterval interval;
  if (successes > 0) interval.low = share_with(successes, trials, tail);
  if (successes < trials) interval.high = share_with(successes + 1, trials, 1 - tail);
  return interval;
}

}  // namespace strata
