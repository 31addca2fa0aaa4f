#pragma once

#include <cstddef>
#include <span>

#include "strata/data/dataset.h"
#include "strata/parallel/communicator.h"

namespace strata {

// Refuses weights that are not one finite number of 0 or more for each row.
void check_weights(const Dataset& data);

// The sum of numbers that processes hold one behind the other, rounded as one process that has all of them rounds it.
double sum_in_order(std::span<const double> numbers, Communicator& processes);

// The factor that gives so many weights with this sum a mean of 1.
double scale_to_mean_one(double sum, std::size_t rows);

}  // namespace strata
