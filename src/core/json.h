#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace strata {

// Parses JSON out of a file that may be damaged or hostile. Refuses, by a DataError that names the file and what of it
// was parsed: text that is no JSON, a name used twice in an object, and nesting so deep that recursion would end badly.
nlohmann::json parse_json(std::string_view text, const std::string& file, std::string_view what);

}  // namespace strata
