#include "strata/network/knots.h"

#include <algorithm>
#include <cmath>
#include <iterator>
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

ColumnBasis column_for(std::span<const Counted> values, bool missing, std::size_t knots) {
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
  return column;
}

}  // namespace

std::vector<ColumnBasis> piecewise_columns(const Dataset& data, std::size_t knots, Communicator& processes) {
  if (knots < 2) throw InvalidOption("knots", std::to_string(knots), "use at least 2, or 0 for no tables");
  std::vector<ColumnBasis> columns;
  std::vector<Counted> values;
  for (std::size_t c = 0; c < data.columns(); ++c) {
    values.clear();
    std::size_t missing = 0;
    if (data.layout.columns[c].categories == 0 && data.weights.empty() && processes.alone()) {
      std::vector<double> numbers;
      numbers.reserve(data.rows);
      std::ranges::copy_if(data.column(c), std::back_inserter(numbers),
                           [](double x) { return !std::isnan(x); });
      data.inputs.release(c * data.rows, data.rows);
      missing = data.rows - numbers.size();
      columns.push_back(column_for(counted(std::move(numbers)), missing > 0, knots));
      continue;
    }
    for (std::size_t p = 0; p < data.rows; ++p) {
      const double x = data.x(p, c);
      const double weight = data.weights.empty() ? 1 : data.weights[p];
      if (weight == 0) continue;
      if (std::isnan(x))
        ++missing;
      else
        values.push_back({x, weight});
    }
    data.inputs.release(c * data.rows, data.rows);
    if (const std::size_t categories = data.layout.columns[c].categories; categories > 0) {
      columns.push_back({.kind = ColumnBasis::Kind::category,
                         .categories = categories,
                         .missing = sum_over(processes, missing) > 0});
      continue;
    }
    if (!processes.alone()) {  // all rows, in their order
      std::vector<Counted> all;
      for (const auto& part : all_to_all(processes, std::vector(processes.size(), values)))
        all.insert(all.end(), part.begin(), part.end());
      values = std::move(all);
      missing = sum_over(processes, missing);
    }
    add_up_equal(values);
    columns.push_back(column_for(values, missing > 0, knots));
  }
  return columns;
}

}  // namespace strata
