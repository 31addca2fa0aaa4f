#pragma once

#include <string>
#include <string_view>

namespace app {

bool errors_are_seen();   // standard error is a terminal
bool results_are_seen();  // standard output is one

enum class Paint { error, note, heading, plain };

// Coloured for standard error if that is a terminal and NO_COLOR is not set (no-color.org).
std::string paint(Paint paint, std::string_view text);
std::string paint_result(Paint paint, std::string_view text);  // the same for standard output

}  // namespace app
