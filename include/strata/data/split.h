#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strata/core/random.h"

namespace strata {

struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;
};

// Shuffles the rows 0 .. rows-1 and cuts them in two; the same stream gives the same split. The first `train`
// rows of the shuffle train, the next `test` rows test; what is left over takes no part.
Split split_by_counts(std::size_t rows, std::size_t train, std::size_t test, RandomStream stream);

// `test_fraction` of the rows, to the nearest row, test; all others train. Neither part may be empty.
Split split_by_fraction(std::size_t rows, double test_fraction, RandomStream stream);

// The same for some rows only: to cut a validation part from the training rows.
Split split_by_fraction(std::span<const std::size_t> rows, double test_fraction, RandomStream stream);

// The same for rows of classes: every class gives its share, to the nearest row, and keeps at least one row in `train`.
// `codes` has the class of each row of the table; rows of the code -1 (none) are a class of their own.
Split split_by_class(std::span<const std::size_t> rows, std::span<const std::int32_t> codes,
                     double test_fraction, RandomStream stream);

}  // namespace strata
