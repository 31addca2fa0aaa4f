#pragma once

#include <string>
#include <string_view>

namespace strata {

std::string lower_case(std::string_view text);
std::string_view trim(std::string_view text);  // blanks, tabs and carriage returns at both ends

// A value short enough for a message: long texts are cut, control characters shown as dots.
std::string shown(std::string_view value);

}  // namespace strata
