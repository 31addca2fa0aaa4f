#pragma once

#include <cstddef>
#include <span>

#include "strata/core/matrix.h"

// Best constants of one column of targets.
namespace strata {

double weighted_mean(ConstMatrix targets, std::size_t column, std::span<const double> weights);

// The least target that has at least this share of the weight at or below it.
double weighted_quantile(ConstMatrix targets, std::size_t column, std::span<const double> weights,
                         double level);

// A probability estimated from rows may not be 0 or 1, where the outputs would be infinite: one row more is counted,
// with `prior` of it in the class.
double smoothed_share(double share, std::size_t rows, double prior);

}  // namespace strata
