#include "strata/solvers/solve_result.h"

#include <fmt/core.h>

namespace strata {

std::string describe(const SolveResult& result) {
  return fmt::format("{} after {} iterations, {} evaluations, f = {:.3e}, |g| = {:.1e}: {}",
                     to_string(result.reason), result.iterations, result.evaluations, result.best.value,
                     norm(result.best.gradient), result.message);
}

}  // namespace strata
