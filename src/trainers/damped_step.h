#pragma once

#include <span>
#include <string_view>

#include "strata/core/vector.h"
#include "strata/objective/local_model.h"
#include "strata/solvers/conjugate_gradient.h"
#include "strata/solvers/least_squares.h"
#include "trainers/kronecker.h"

namespace strata {

// The step of a local model, (H + lambda I) d = -gradient: exactly where H is one matrix for every output, otherwise by
// conjugate gradients with the layers' Kronecker factors as a preconditioner.
class DampedStep {
 public:
  struct Result {
    double predicted = 0;  // decrease of the damped model
    int iterations = 1;
    StopReason reason = StopReason::solved;
    std::string_view message;
  };
  Result solve(const LocalModel& model, double damping, const PcgOptions& solver);

  [[nodiscard]] std::span<const double> step() const { return step_; }

 private:
  Result solve_exactly(const LocalModel& model, double damping);
  Result iterate(const LocalModel& model, double damping, const PcgOptions& solver);

  KroneckerInverses inverses_;
  LeastSquaresSpace space_;
  PcgSpace pcg_space_;
  Vector step_, descent_;
};

}  // namespace strata
