#pragma once

#include <cstdint>

namespace strata {

// What an evaluation cost, in rows passed through one layer: comparable between batch and minibatch methods and
// between machines. Divided by the number of training rows it is "layer passes".
struct Work {
  std::uint64_t forward = 0;          // rows x layers: activations computed
  std::uint64_t backward = 0;         // rows x layers: deltas propagated through a layer
  std::uint64_t weight_gradient = 0;  // rows x layers: weight gradients (or Gram matrices) formed
  std::uint64_t evaluations = 0;      // calls, of any kind

  Work& operator+=(const Work& other) {
    forward += other.forward;
    backward += other.backward;
    weight_gradient += other.weight_gradient;
    evaluations += other.evaluations;
    return *this;
  }
  friend Work operator-(Work a, const Work& b) {
    a.forward -= b.forward;
    a.backward -= b.backward;
    a.weight_gradient -= b.weight_gradient;
    a.evaluations -= b.evaluations;
    return a;
  }
  friend bool operator==(const Work&, const Work&) = default;
};

}  // namespace strata
