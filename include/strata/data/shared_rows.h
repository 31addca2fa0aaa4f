#pragma once

#include <cstddef>
#include <span>

#include "strata/data/dataset.h"
#include "strata/parallel/communicator.h"

// A table whose rows are spread over processes (Dataset::first_row). All processes call these functions together.
namespace strata {

// The rows with these numbers among all, in the order given, from whoever holds them.
Dataset fetch_rows(const Dataset& held, std::span<const std::size_t> numbers, Communicator& processes);

// A table of the rows with these numbers, the same list at every process, each of which gets an even part of it.
Dataset take_rows(const Dataset& held, std::span<const std::size_t> numbers, Communicator& processes);

// An even part of a table that every process has as a whole.
Dataset share_rows(const Dataset& whole, const Communicator& processes);

}  // namespace strata
