#include "strata/model/effort.h"

#include <string>

#include "strata/core/errors.h"

namespace strata {

const std::vector<EffortInfo>& efforts() {
  static const std::vector<EffortInfo> table{
      {"quick", "one network"},
      {"default", "four members, trained side by side"},
      {"best", "eight members, and an L2 penalty chosen by the validation error"},
  };
  return table;
}

// Patience: of 20 sweeps, most were spent after the best weights had been found.
void use_effort(FitOptions& options, std::string_view name) {
  if (name == "quick") {
    options.members = 1;
    options.patience = 10;
  } else if (name == "default") {
    options.members = 4;
    options.patience = 10;
  } else if (name == "best") {
    options.members = 8;
    options.l2 = {.rule = L2::Rule::automatic};
    options.patience = 20;
  } else {
    std::string known;
    for (const EffortInfo& effort : efforts())
      known += (known.empty() ? "" : ", ") + std::string(effort.name);
    throw InvalidOption("effort", name, "use one of " + known);
  }
}

}  // namespace strata
