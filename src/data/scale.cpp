#include "strata/data/scale.h"

#include <algorithm>
#include <cmath>

#include "strata/core/exact_sum.h"
#include "strata/core/fields.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

struct Sums {
  double low = infinity;
  double high = -infinity;
  std::size_t ones = 0;  // weights of 1, the most frequent by far
  ExactSum weights;      // other ones
  ExactSum values;

  void add(double value, double weight) {
    low = std::min(low, value);
    high = std::max(high, value);
    if (weight == 1)
      ++ones;
    else
      weights.add(weight);
    if (const double term = weight * value; std::isfinite(term)) values.add(term);
  }
  void add(const Sums& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    ones += other.ones;
    weights += other.weights;
    values += other.values;
  }
};

template <class Value>
Sums sums_of(std::span<const double> values, std::span<const double> weights, Communicator& processes,
             const Value& value_of) {
  Sums own;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if (weight != 0 && !std::isnan(values[i])) own.add(value_of(values[i]), weight);
  }
  if (processes.alone()) return own;
  Sums all;
  for (const Sums& part : all_gather(processes, own)) all.add(part);
  return all;
}

}  // namespace

NumberSummary summarise(std::span<const double> values, std::span<const double> weights,
                        Communicator& processes) {
  const Sums all = sums_of(values, weights, processes, [](double value) { return value; });
  ExactSum count = all.weights;
  count.add(static_cast<double>(all.ones));
  NumberSummary summary{.count = count.value()};
  if (summary.count == 0) return summary;
  summary.low = all.low;
  summary.high = all.high;
  summary.mean = std::isfinite(all.high - all.low) ? all.values.value() / summary.count : infinity;
  const Sums squares = sums_of(values, weights, processes, [&summary](double value) {
    return (value - summary.mean) * (value - summary.mean);
  });
  summary.deviation =
      std::isfinite(squares.high) ? std::sqrt(squares.values.value() / summary.count) : infinity;
  return summary;
}

Scale fit_scale(Scaling scaling, const NumberSummary& summary) {
  if (scaling == Scaling::none || summary.count == 0) return {};
  // Decided on the values themselves: the rounded mean of a constant leaves a tiny, false deviation.
  if (summary.low == summary.high) return {.offset = summary.low, .range = 0};
  if (scaling == Scaling::minmax) return {.offset = summary.low, .range = summary.high - summary.low};
  return {.offset = summary.mean, .range = summary.deviation};
}

}  // namespace strata
