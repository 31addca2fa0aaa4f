#include "strata/model/effort.h"

#include <string>

#include "strata/core/errors.h"
#include "strata/trainers/presets.h"

namespace strata {

const std::vector<EffortInfo>& efforts() {
  static const std::vector<EffortInfo> table{
      {"quick", "one network"},
      {"default", "six members, trained side by side"},
      {"best", "twelve members, more patience"},
  };
  return table;
}

// Measured on rows of public tables that were neither trained nor tested on: docs/mathematics.md, "What the efforts stand for".
void use_effort(FitOptions& options, std::string_view name) {
  options.hidden = {50, 50, 50};
  options.knots = 48;
  options.one_network_from = 500'000;  // six would take minutes, and twice the memory
  options.bends = {usual_bend, 1, 0.02};
  options.lines = {Line::ranks, Line::values, Line::values};
  options.l2 = {.rule = L2::Rule::automatic};
  options.patience = 6;  // most sweeps would otherwise come after the best
  options.least_gain = 0.002;
  options.usual_sweeps = 50;
  if (name == "quick") {
    options.members = 1;
    options.lines = {Line::values};  // one member cannot undo what ranks cost on smooth tables
    options.patience = 4;
  } else if (name == "default") {
    options.members = 6;
    options.interactions = 3;
  } else if (name == "best") {
    options.members = 12;
    options.interactions = 3;
    options.patience = 12;
    options.least_gain = 0;
    options.usual_sweeps = 200;
  } else {
    std::string known;
    for (const EffortInfo& effort : efforts()) append_item(known, ", ", effort.name);
    throw InvalidOption("effort", name, "use one of " + known);
  }
}

void use_method(FitOptions& options, std::string_view name) {
  options.method = name;
  if (!method(name).radial) return;
  options.hidden = {50};
  options.activation = Activation::gaussian;
}

}  // namespace strata
