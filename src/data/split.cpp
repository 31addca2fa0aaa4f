#include "strata/data/split.h"

#include <fmt/core.h>

#include <cmath>

#include "strata/core/errors.h"

namespace strata {

namespace {

using Rows = std::vector<std::size_t>;

Split cut(const Rows& order, std::size_t train, std::size_t test) {
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(train);
  return {.train = Rows(order.begin(), middle),
          .test = Rows(middle, middle + static_cast<std::ptrdiff_t>(test))};
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

}  // namespace strata
