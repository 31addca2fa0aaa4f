#pragma once

#include <algorithm>
#include <span>

namespace strata {

// A preconditioner M is a callable: (r, y) writes y = M r. This one is none.
struct Identity {
  void operator()(std::span<const double> r, std::span<double> y) const {
    std::copy(r.begin(), r.end(), y.begin());
  }
};

}  // namespace strata
