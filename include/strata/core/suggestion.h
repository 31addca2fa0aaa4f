#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// What a refusal of an unknown name may offer: "; did you mean 'price'?" when some candidate is near the name,
// otherwise "; there are: " and the candidates themselves.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

// The candidates by their distance from the name (insertions, deletions, replacements; upper case is lower case).
std::vector<std::string> nearest_first(std::string_view name, std::span<const std::string> candidates);

}  // namespace strata
