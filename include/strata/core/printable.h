#pragma once

#include <string>
#include <string_view>

namespace strata {

// A name or text of a file for a message or a table on one line: every control character (line ends and escape sequences
// of terminals among them) becomes a dot.
std::string printable(std::string_view text);

}  // namespace strata
