#pragma once

#include <cstddef>

namespace strata::bench {

// Multiply-adds of doubles in registers alone, on this CPU's best vectors: what no real loop can exceed.
// Returns the number of floating-point operations done.
double register_only_multiply_adds(std::size_t rounds);

}  // namespace strata::bench
