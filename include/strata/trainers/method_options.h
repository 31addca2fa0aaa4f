#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/fields.h"
#include "strata/trainers/scheme.h"

namespace strata {

// The settings of a method by name, as the command line, the Python package and configuration files give them: fields of
// the scheme's parts. A preset with no settings is the method as its authors, or the paper, have it. Those of one method, in a fixed order; throws InvalidOption for an unknown method.
std::vector<OptionInfo> options_of(std::string_view method);

// Names and values as text; "off" for what can be switched off.
using MethodOptionValues = std::map<std::string, std::string, std::less<>>;

// The preset with these settings. An option that the method does not have is refused with the nearest one it has, a
// value with what the option accepts.
Scheme preset(std::string_view method, std::size_t layers, const MethodOptionValues& values);

}  // namespace strata
