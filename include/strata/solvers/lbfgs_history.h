#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "strata/core/state.h"
#include "strata/solvers/preconditioner.h"
#include "strata/solvers/smooth_function.h"

namespace strata {

// The last m pairs s = x+ - x, y = g+ - g, and the inverse Hessian H they stand for. Kept across visits of a
// block it carries what was learnt there; clear() drops it. One history belongs to one function: use one for
// each block.
class LbfgsHistory {
 public:
  // Room for `memory` pairs of length `size`. A change of either drops the pairs.
  void prepare(std::size_t size, std::size_t memory);
  void clear() { pairs_ = 0; }
  [[nodiscard]] std::size_t pairs() const { return pairs_; }

  // Adds the pair of a step; false if it was skipped. Pairs with s'y <= eps y'y are: they break positive
  // definiteness (curvature condition, Nocedal & Wright section 6.1).
  bool push(const Sample& from, const Sample& to);

  // direction <- -H gradient by the two-loop recursion (Nocedal & Wright, algorithm 7.4). It begins with the first matrix
  // H0: apply(r, y) writes y = M r, and H0 = M s'y / y'My of the newest pair (their equation 7.20), or M if there is no pair.
  template <class FirstMatrix = Identity>
  void descent_direction(std::span<const double> gradient, std::span<double> direction,
                         FirstMatrix&& apply = {}) {
    std::transform(gradient.begin(), gradient.end(), direction.begin(), [](double g) { return -g; });
    to_oldest(direction);
    double scale = 1;
    if (pairs_ > 0) {
      apply(std::span<const double>(y(slot(0))), std::span<double>(product_));
      scale = curvature_[slot(0)] / dot(y(slot(0)), product_);
    }
    apply(std::span<const double>(direction), std::span<double>(product_));
    for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = product_[i] * scale;
    to_newest(direction);
  }

  void save(State& state) const;
  void restore(const State& state, std::size_t size, std::size_t memory);

 private:
  [[nodiscard]] std::size_t slot(std::size_t age) const {  // age 0 is the newest pair
    return (next_ + slots() - 1 - age) % slots();
  }
  [[nodiscard]] std::size_t slots() const { return curvature_.size(); }
  // The two loops of the recursion.
  void to_oldest(std::span<double> direction);
  void to_newest(std::span<double> direction);
  std::span<double> s(std::size_t slot) { return std::span(s_).subspan(slot * size_, size_); }
  std::span<double> y(std::size_t slot) { return std::span(y_).subspan(slot * size_, size_); }

  std::size_t size_ = 0;
  std::size_t pairs_ = 0;
  std::size_t next_ = 0;  // where the next pair goes: one slot is spare, a skipped pair costs no old one
  Vector s_, y_;          // slots x size
  Vector curvature_;      // s'y of each slot
  Vector weight_;         // the recursion's alpha of each slot
  Vector product_;        // M times a vector
};

}  // namespace strata
