#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strata/trainers/scheme.h"

namespace strata {

// The settings of a method by name, as the command line, the Python package and configuration files give them. A
// preset with no settings is the method as its authors, or the paper, have it.
struct MethodOption {
  enum class Kind { number, fraction, count, on_off, order, precision };
  std::string name;           // "cg-iterations"
  Kind kind;                  // what it accepts
  std::string default_value;  // as text; "on" or "off"
  std::string help;           // one line
};

std::string_view accepted(MethodOption::Kind kind);  // "a number above 0", "backward, forward or random"

// Those of one method, in a fixed order; throws InvalidOption for an unknown method.
const std::vector<MethodOption>& options_of(std::string_view method);

// Names and values as text.
using MethodOptionValues = std::map<std::string, std::string, std::less<>>;

// The preset with these settings. An option that the method does not have is refused with the nearest one it has, a
// value with what the option accepts.
Scheme preset(std::string_view method, std::size_t layers, const MethodOptionValues& values);

}  // namespace strata
