#pragma once

#include <variant>

#include "strata/core/fields.h"
#include "strata/solvers/line_search.h"

namespace strata {

// When a trial point may replace the old one. The paper's conditions for the new point w~ of a block:
//   (1)  f(w~) <= f(Armijo point of steepest descent)
//   (2)  f(w~) - f(w) <= -sigma(||w~ - w||),  sigma(t) = coefficient * t^power
// A point that fails is replaced by the Armijo point, which satisfies both whenever
// coefficient <= line_search.decrease / line_search.first_step (power 2).
struct ArmijoAcceptance {
  ArmijoOptions line_search = {};
  double coefficient = 1e-12;  // on plateaus long steps gain little: a larger one keeps refusing them
  double power = 2;

  static constexpr std::string_view kind = "at_least_armijo";
  void fields(auto& list) {
    list("coefficient", coefficient, not_negative, "c in f(w~) - f(w) <= -c ||w~ - w||^power");
    list("power", power, positive, "of the step's length in that condition");
    line_search.fields(list);
  }
};

struct AnyDecrease {  // every finite point that does not increase f
  static constexpr std::string_view kind = "any_decrease";
};

using Acceptance = std::variant<AnyDecrease, ArmijoAcceptance>;

inline Acceptance at_least_armijo(const ArmijoAcceptance& options = {}) { return options; }
inline Acceptance any_decrease() { return AnyDecrease{}; }

}  // namespace strata
