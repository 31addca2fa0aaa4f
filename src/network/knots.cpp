#include "strata/network/knots.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <string>

#include "strata/core/errors.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

struct Counted {
  double value;
  double weight;
};

// Different values in ascending order, each with the weight of its rows.
void add_up_equal(std::vector<Counted>& values) {
  std::ranges::stable_sort(values, {}, &Counted::value);  // weights are added in one order
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (kept > 0 && values[kept - 1].value == values[i].value)
      values[kept - 1].weight += values[i].weight;
    else
      values[kept++] = values[i];
  }
  values.resize(kept);
}

// The same where every row counts once.
std::vector<Counted> counted(std::vector<double> values) {
  std::ranges::sort(values);
  std::vector<Counted> different;
  for (const double value : values) {
    if (different.empty() || different.back().value != value) different.push_back({value, 0});
    different.back().weight += 1;
  }
  return different;
}

// At shares 0, 1/(count-1), ..., 1 of the weight: the first value at or below which there is so much.
void add_quantiles(std::span<const Counted> values, std::size_t count, std::vector<double>& to) {
  double total = 0;
  for (const Counted& value : values) total += value.weight;
  std::size_t at = 0;
  double below = values[0].weight;
  for (std::size_t k = 0; k < count; ++k) {
    const double wanted = total * static_cast<double>(k) / static_cast<double>(count - 1);
    while (at + 1 < values.size() && (below < wanted || k + 1 == count)) below += values[++at].weight;
    if (k == 0 || to.back() < values[at].value) to.push_back(values[at].value);
  }
}

// Values that more than a knot's share of the rows have, as the zeros of an amount that few people have, take one knot each;
// the others have the rest of the knots. Quantiles of all rows would leave them next to none.
std::vector<double> knots_of(std::vector<Counted> values, std::size_t count) {
  std::vector<double> found;
  for (bool changed = true; changed && count > 2 && !values.empty();) {
    double total = 0;
    for (const Counted& value : values) total += value.weight;
    const double share = total / static_cast<double>(count);
    const std::size_t before = found.size();
    std::erase_if(values, [&](const Counted& value) {
      const bool frequent = value.weight > share && found.size() - before + 2 < count;
      if (frequent) found.push_back(value.value);
      return frequent;
    });
    changed = found.size() > before;
    count -= found.size() - before;
  }
  if (!values.empty()) add_quantiles(values, count, found);
  std::ranges::sort(found);
  return found;
}

// Values that are equal but for rounding, as the sines of two months, are one: between knots so near to each other, the rounding
// of another computer would decide on the prediction.
void drop_near_equal(std::vector<double>& knots) {
  const double least = 1e-12 * (knots.back() - knots.front());
  std::size_t kept = 1;
  for (std::size_t k = 1; k < knots.size(); ++k)
    if (knots[k] - knots[kept - 1] > least) knots[kept++] = knots[k];
  knots.resize(kept);
}

// x with the normal distribution function P(x), 0 < P < 1, to 1e-12, by halving.
double normal_score(double p) {
  double low = -9, high = 9;
  while (high - low > 1e-12) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Normal scores of the knots' ranks among the values, scaled such that the function through them has variance 1 over the rows, and
// shifted such that the middle knot is itself. Without a bound the outermost knots of long tables would be far out.
std::vector<double> line_of_ranks(std::span<const Counted> values, const std::vector<double>& knots) {
  constexpr double outermost = 1e-3;
  double total = 0;
  for (const Counted& value : values) total += value.weight;
  std::vector<double> line;
  double below = 0;
  std::size_t at = 0;
  for (const double knot : knots) {
    for (; values[at].value < knot; ++at) below += values[at].weight;
    line.push_back(
        normal_score(std::clamp((below + values[at].weight / 2) / total, outermost, 1 - outermost)));
  }
  double mean = 0, square = 0;
  std::size_t k = 0;
  for (const Counted& value : values) {
    while (k + 2 < knots.size() && knots[k + 1] <= value.value) ++k;
    const double t = (value.value - knots[k]) / (knots[k + 1] - knots[k]);
    const double there = (1 - t) * line[k] + t * line[k + 1];
    mean += value.weight * there / total;
    square += value.weight * there * there / total;
  }
  const double deviation = std::sqrt(std::max(square - mean * mean, std::numeric_limits<double>::min()));
  const std::size_t middle = knots.size() / 2;
  const double score = line[middle];
  for (double& x : line) x = knots[middle] + (x - score) / deviation;
  return line;
}

ColumnBasis column_for(std::span<const Counted> values, bool missing, std::size_t knots, Line line) {
  ColumnBasis column{.missing = missing};
  if (values.size() <= 2) return column;
  std::vector<double> at;
  if (values.size() <= knots)
    for (const Counted& value : values) at.push_back(value.value);
  else
    at = knots_of({values.begin(), values.end()}, knots);
  drop_near_equal(at);
  if (at.size() <= 2) return column;
  column.kind = ColumnBasis::Kind::piecewise;
  column.knots = std::move(at);
  if (line == Line::ranks) column.line = line_of_ranks(values, column.knots);
  return column;
}

// Which rows of a column with many values are looked at: some of them tell where its quantiles are, each to a part of 0.002 of
// the rows. That depends on their places among all rows alone. Multiples of the golden ratio do not fall in with any period
// of the data.
class SampledRows {
 public:
  SampledRows(const Dataset& data, std::size_t values)
      : first_(data.first_row), most_(largest / std::max<std::size_t>(1, values / enough)) {}

  [[nodiscard]] bool has(std::size_t row) const {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;  // 2^64 / 1.618...
    return (first_ + row) * golden <= most_;
  }

 private:
  static constexpr std::size_t enough = 200'000;
  static constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t first_;
  std::uint64_t most_;
};

bool counts(const Dataset& data, std::size_t row) { return data.weights.empty() || data.weights[row] != 0; }

// Different values of all processes' rows, each with its weight. present: how many of their rows have one.
std::vector<Counted> values_of(const Dataset& data, std::span<const double> column, std::size_t present,
                               Communicator& processes) {
  const SampledRows sample(data, present);
  const auto is_taken = [&](std::size_t p) {
    return !std::isnan(column[p]) && counts(data, p) && sample.has(p);
  };
  if (data.weights.empty() && processes.alone()) {
    std::vector<double> numbers;
    for (std::size_t p = 0; p < data.rows; ++p)
      if (is_taken(p)) numbers.push_back(column[p]);
    return counted(std::move(numbers));
  }
  std::vector<Counted> values;
  for (std::size_t p = 0; p < data.rows; ++p)
    if (is_taken(p)) values.push_back({column[p], data.weights.empty() ? 1 : data.weights[p]});
  if (!processes.alone()) {  // all rows, in their order
    std::vector<Counted> all;
    for (const auto& part : all_to_all(processes, std::vector(processes.size(), values)))
      all.insert(all.end(), part.begin(), part.end());
    values = std::move(all);
  }
  add_up_equal(values);
  return values;
}

struct RowCounts {
  std::size_t present = 0;
  std::size_t missing = 0;
};

RowCounts count_rows(const Dataset& data, std::span<const double> column) {
  RowCounts found;
  for (std::size_t p = 0; p < data.rows; ++p)
    if (counts(data, p)) ++(std::isnan(column[p]) ? found.missing : found.present);
  return found;
}

ColumnBasis column_of_numbers(const Dataset& data, std::span<const double> column, std::size_t knots,
                              Communicator& processes, Line line) {
  const RowCounts own = count_rows(data, column);
  const bool any_missing = sum_over(processes, own.missing) > 0;
  return column_for(values_of(data, column, sum_over(processes, own.present), processes), any_missing, knots,
                    line);
}

}  // namespace

std::vector<ColumnBasis> piecewise_columns(const Dataset& data, std::size_t knots, Communicator& processes,
                                           Line line) {
  if (knots < 2) throw InvalidOption("knots", std::to_string(knots), "use at least 2, or 0 for no tables");
  std::vector<ColumnBasis> columns;
  for (std::size_t c = 0; c < data.columns(); ++c) {
    const std::span<const double> numbers = data.column(c);
    if (const std::size_t categories = data.layout.columns[c].categories; categories > 0)
      columns.push_back({.kind = ColumnBasis::Kind::category,
                         .categories = categories,
                         .missing = sum_over(processes, count_rows(data, numbers).missing) > 0});
    else
      columns.push_back(column_of_numbers(data, numbers, knots, processes, line));
    data.inputs.release(c * data.rows, data.rows);
  }
  return columns;
}

ColumnBasis sum_column(const Dataset& data, const InputSum& sum, std::size_t knots, Line line) {
  Vector numbers(data.rows);
  for (std::size_t p = 0; p < data.rows; ++p)
    numbers[p] = sum.factors[0] * data.x(p, sum.inputs[0]) + sum.factors[1] * data.x(p, sum.inputs[1]);
  ColumnBasis column = column_of_numbers(data, numbers, knots, single_process(), line);
  column.sum = sum;
  return column;
}

}  // namespace strata
