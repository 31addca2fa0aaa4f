#pragma once

#include <string>
#include <string_view>

namespace strata {

// How the program that a user works with spells an option: a remedy in a message then names what can be typed there.
enum class OptionStyle {
  command_line,  // --missing impute
  python,        // missing='impute'
};

// Set once, when a program starts; the command line's way until then.
void set_option_style(OptionStyle style);

// An option by its name on the command line: na-values or na_values.
std::string option_name(std::string_view name);

// The same with what can be typed, with a value or none: --na-values X or na_values='X'.
std::string option_text(std::string_view name, std::string_view value = {});

}  // namespace strata
