#pragma once

#include <cstddef>
#include <string_view>

#include "strata/core/matrix.h"
#include "strata/core/stop_reason.h"
#include "strata/core/vector.h"

namespace strata {

// Scratch of solve_regularised: the second solve of the same size takes no memory, unless the matrix is
// singular.
struct LeastSquaresSpace {
  Vector factor;  // N x N
};

struct LeastSquaresResult {
  StopReason reason = StopReason::non_finite;  // solved or non_finite
  std::string_view message;
  std::size_t rank = 0;  // below N: A + ridge I is singular to rounding, X is the solution of least norm

  [[nodiscard]] bool singular(std::size_t size) const { return rank < size; }
};

// X <- (A + ridge I)^-1 B: the normal equations of ridge regression with A = Z'Z, B = Z'Y. A: N x N,
// symmetric positive semidefinite (the upper triangle is read); B, X: N x outputs; X may be B; ridge >= 0.
//
// By Cholesky. If a pivot vanishes to rounding, by the eigenvalues of A + ridge I, leaving out those that are
// zero to rounding: the least-norm solution, which is the limit of ridge -> 0 and hence what a slightly
// larger ridge would give. A guessed larger ridge would change the problem; a pivoted LDL' would return one
// of the solutions, perhaps huge. If A or B is not finite, X is left as it was.
LeastSquaresResult solve_regularised(ConstMatrix a, double ridge, ConstMatrix b, LeastSquaresSpace& space,
                                     Matrix x);

}  // namespace strata
