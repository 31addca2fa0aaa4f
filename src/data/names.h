#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata {

std::string lower_case(std::string_view text);
std::string_view trim(std::string_view text);  // blanks, tabs and carriage returns at both ends

bool contains(const std::vector<std::string>& names, const std::string& name);

// A value short enough for a message: long texts are cut, control characters shown as dots.
std::string shown(std::string_view value);

}  // namespace strata
