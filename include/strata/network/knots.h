#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "strata/data/dataset.h"
#include "strata/network/architecture.h"
#include "strata/parallel/communicator.h"

namespace strata {

// What a piecewise-linear function without bends is a line of (ColumnBasis::line).
enum class Line {
  values,  // the numbers
  ranks,   // normal scores of their ranks among the rows: outliers count no more than others do
};
constexpr auto names_of(Line) { return std::to_array<std::string_view>({"values", "ranks"}); }

// Tables for the columns of a data set that are not expanded (InputLayout::expand), for the first layer of a network.
// Numbers: a piecewise-linear function with knots at quantiles of the rows, at most so many, from the least value to the
// largest. Where there are fewer values than that, each is a knot; with two values or one, a weight times the number says as
// much; values that differ by rounding alone are one. Rows count with their weights, as if they were there several times. Of 400,000
// values or more, 200,000 to 400,000 are looked at. Categories: an entry for each. A missing value has an entry where these rows have one.
// Processes that share the rows call together and get the same.
std::vector<ColumnBasis> piecewise_columns(const Dataset& data, std::size_t knots,
                                           Communicator& processes = single_process(),
                                           Line line = Line::values);

// The same for a sum of two columns of numbers.
ColumnBasis sum_column(const Dataset& data, const InputSum& sum, std::size_t knots, Line line = Line::values);

}  // namespace strata
