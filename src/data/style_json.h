#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/json_text.h"
#include "strata/data/text_style.h"

namespace strata {

// As one JSON object; members that are not there have their default. `file` is named in a refusal.
void write_style(JsonText& json, const TextStyle& style);
TextStyle style_from_json(const nlohmann::json& json, const std::string& file);

}  // namespace strata
