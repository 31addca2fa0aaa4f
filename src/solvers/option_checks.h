#pragma once

#include <string_view>

namespace strata {

// Throws InvalidOption unless the value is right.
void require(bool right, std::string_view field, double value, std::string_view remedy);

}  // namespace strata
