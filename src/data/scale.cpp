#include "strata/data/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "strata/core/exact_sum.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

struct Part {
  std::size_t count = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  ExactSum sum;

  void add(double value) {
    ++count;
    low = std::min(low, value);
    high = std::max(high, value);
    sum.add(value);
  }
  void add(const Part& other) {
    count += other.count;
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    sum += other.sum;
  }
};

template <class Value>
Part sum_over(std::span<const double> values, Communicator& processes, const Value& value_of) {
  Part own;
  for (const double value : values)
    if (!std::isnan(value)) own.add(value_of(value));
  if (processes.alone()) return own;
  Part all;
  for (const Part& part : all_gather(processes, own)) all.add(part);
  return all;
}

}  // namespace

NumberSummary summarise(std::span<const double> values, Communicator& processes) {
  const Part all = sum_over(values, processes, [](double value) { return value; });
  if (all.count == 0) return {};
  const auto count = static_cast<double>(all.count);
  NumberSummary summary{
      .count = all.count, .low = all.low, .high = all.high, .mean = all.sum.value() / count};
  const double reach = std::max(std::abs(all.low), std::abs(all.high));
  const bool too_wide =
      !std::isfinite(summary.mean) || reach > std::sqrt(std::numeric_limits<double>::max()) / 2;
  const Part squares = sum_over(values, processes, [&summary, too_wide](double value) {
    const double distance = value - summary.mean;
    return too_wide ? 0 : distance * distance;  // the square would not be finite
  });
  summary.deviation =
      too_wide ? std::numeric_limits<double>::infinity() : std::sqrt(squares.sum.value() / count);
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
