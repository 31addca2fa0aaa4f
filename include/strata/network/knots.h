#pragma once

#include <cstddef>
#include <vector>

#include "strata/data/dataset.h"
#include "strata/network/architecture.h"
#include "strata/parallel/communicator.h"

namespace strata {

// Tables for the columns of a data set that are not expanded (InputLayout::expand), for the first layer of a network.
// Numbers: a piecewise-linear function with knots at quantiles of the rows, at most so many, from the least value to the
// largest. Where there are fewer values than that, each is a knot; with two values or one, a weight times the number says as
// much; values that differ by rounding alone are one. Rows count with their weights, as if they were there several times. Of 400,000
// values or more, 200,000 to 400,000 are looked at. Categories: an entry for each. A missing value has an entry where these rows have one.
// Processes that share the rows call together and get the same.
std::vector<ColumnBasis> piecewise_columns(const Dataset& data, std::size_t knots,
                                           Communicator& processes = single_process());

}  // namespace strata
