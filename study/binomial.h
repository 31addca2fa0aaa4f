#pragma once

#include <cstddef>

namespace strata {

struct ShareInterval {
  double low = 0;
  double high = 1;
};

// Clopper & Pearson's exact interval for a probability of which k successes in n independent trials were seen: what lies
// outside would give k or a more extreme number with a chance of at most (1 - level)/2 on either side.
ShareInterval share_interval(std::size_t successes, std::size_t trials, double level = 0.95);

}  // namespace strata
