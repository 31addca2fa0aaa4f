#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace strata {

// The report page with these records in it; "kind" says which report its script makes of them.
std::string report_page(const nlohmann::ordered_json& records);

// null stands for a number that is not finite.
nlohmann::ordered_json number_or_null(double value);

}  // namespace strata
