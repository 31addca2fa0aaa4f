#include "strata/data/split.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "strata/core/errors.h"

namespace strata {

namespace {

using Rows = std::vector<std::size_t>;

// Its beginning stays where it is: there may be very many rows.
Split cut(Rows order, std::size_t train, std::size_t test) {
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(train);
  Rows rest(middle, middle + static_cast<std::ptrdiff_t>(test));
  order.resize(train);
  return {.train = std::move(order), .test = std::move(rest)};
}

}  // namespace

Split split_by_counts(std::size_t rows, std::size_t train, std::size_t test, RandomStream stream) {
  if (train == 0) throw InvalidOption("train", "0", "at least one row must train");
  if (train > rows || test > rows - train)
    throw InvalidOption("train + test", fmt::format("{} + {}", train, test),
                        fmt::format("there are only {} rows; ask for fewer", rows));
  return cut(stream.permutation(rows), train, test);
}

Split split_by_fraction(std::size_t rows, double test_fraction, RandomStream stream) {
  if (!(test_fraction > 0 && test_fraction < 1))
    throw InvalidOption("test_fraction", fmt::format("{}", test_fraction), "use a number between 0 and 1");
  const auto test = static_cast<std::size_t>(std::floor(static_cast<double>(rows) * test_fraction + 0.5));
  if (test == 0 || test >= rows)
    throw InvalidOption(
        "test_fraction", fmt::format("{}", test_fraction),
        fmt::format("it leaves one part of {} rows empty; use more rows or another fraction", rows));
  return cut(stream.permutation(rows), rows - test, test);
}

Split split_by_fraction(std::span<const std::size_t> rows, double test_fraction, RandomStream stream) {
  Split split = split_by_fraction(rows.size(), test_fraction, stream);
  for (Rows* part : {&split.train, &split.test})
    for (std::size_t& row : *part) row = rows[row];
  return split;
}

namespace {

// How many rows of each class test: each its share rounded down, then one more for those that lost most by it, until the
// sum is the share of all rows. A class never gives its last row.
std::map<std::int32_t, std::size_t> test_counts(const std::map<std::int32_t, std::size_t>& sizes,
                                                std::size_t wanted, double fraction) {
  std::map<std::int32_t, std::size_t> counts;
  std::vector<std::pair<double, std::int32_t>> lost;
  std::size_t given = 0;
  for (const auto& [code, size] : sizes) {
    const double share = fraction * static_cast<double>(size);
    counts[code] = std::min(static_cast<std::size_t>(share), size - 1);
    given += counts[code];
    lost.emplace_back(static_cast<double>(counts[code]) - share, code);
  }
  std::ranges::sort(lost);
  for (const auto& [loss, code] : lost)
    if (loss < 0 && given < wanted && counts[code] + 1 < sizes.at(code)) {
      ++counts[code];
      ++given;
    }
  return counts;
}

}  // namespace

Split split_by_class(std::span<const std::size_t> rows, std::span<const std::int32_t> codes,
                     double test_fraction, RandomStream stream) {
  const Split shuffled = split_by_fraction(rows, test_fraction, stream);
  std::map<std::int32_t, std::size_t> sizes;
  for (const std::size_t row : rows) ++sizes[codes[row]];
  auto left = test_counts(sizes, shuffled.test.size(), test_fraction);
  Split split;
  for (const Rows* part : {&shuffled.test, &shuffled.train})
    for (const std::size_t row : *part) {
      std::size_t& wanted = left[codes[row]];
      (wanted > 0 ? split.test : split.train).push_back(row);
      if (wanted > 0) --wanted;
    }
  return split;
}

}  // namespace strata
