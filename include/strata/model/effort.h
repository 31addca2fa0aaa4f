#pragma once

#include <string_view>
#include <vector>

#include "strata/model/fit.h"

namespace strata {

// How much a model may cost, in place of many options: the network, its knots, the members, the L2 penalty and the patience.
struct EffortInfo {
  std::string_view name;
  std::string_view summary;
};
const std::vector<EffortInfo>& efforts();  // quick, default, best

// Sets those options. Refuses an unknown name.
void use_effort(FitOptions& options, std::string_view name);

// Sets the method and, where it is made for radial layers, a network that has one.
void use_method(FitOptions& options, std::string_view name);

}  // namespace strata
