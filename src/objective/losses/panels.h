#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "strata/core/matrix.h"

// What losses have in common.
namespace strata {

// A sum over samples in four lanes: independent additions in one fixed order.
class SampleSum {
 public:
  void add(std::size_t sample, double term) { lanes_[sample % lanes_.size()] += term; }
  [[nodiscard]] double total() const { return (lanes_[0] + lanes_[1]) + (lanes_[2] + lanes_[3]); }

 private:
  std::array<double, 4> lanes_{};
};

inline double weight_of(std::span<const double> weights, std::size_t sample) {
  return weights.empty() ? 1.0 : weights[sample];
}

inline void clear_padding(Matrix panel, std::size_t samples) {
  for (std::size_t o = 0; o < panel.rows(); ++o) {
    const auto row = panel.row(o);
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(samples), row.end(), 0.0);
  }
}

}  // namespace strata
