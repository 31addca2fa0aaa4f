#include "data/style_json.h"

#include <fmt/core.h>

#include "data/decode.h"
#include "strata/core/errors.h"

namespace strata {

void write_style(JsonText& json, const TextStyle& style) {
  const auto put = [&](const char* name, const std::optional<char>& sign) {
    if (sign) json.member(name, *sign == '\0' ? std::string() : std::string(1, *sign));
  };
  json.begin_object();
  put("separator", style.separator);
  put("quote", style.quote);
  put("decimal", style.decimal);
  put("thousands", style.thousands);
  if (style.header != Header::detect) json.member("header", style.header == Header::present);
  if (!style.names.empty()) json.member("names", style.names);
  if (style.missing) json.member("missing", *style.missing);
  if (style.encoding != Encoding::detect) json.member("encoding", to_string(style.encoding));
  json.end_object();
}

TextStyle style_from_json(const nlohmann::json& json, const std::string& file) {
  TextStyle style;
  const auto get = [&](const char* name, std::optional<char>& sign) {
    if (!json.contains(name)) return;
    const std::string text = json.at(name);
    if (text.size() > 1)
      throw DataError({file}, fmt::format("'{}' is not a known setting; the stored text was changed or cut, "
                                          "store it again",
                                          text));
    sign = text.empty() ? '\0' : text[0];
  };
  get("separator", style.separator);
  get("quote", style.quote);
  get("decimal", style.decimal);
  get("thousands", style.thousands);
  if (json.contains("header"))
    style.header = json.at("header").get<bool>() ? Header::present : Header::absent;
  if (json.contains("names")) style.names = json.at("names").get<std::vector<std::string>>();
  if (json.contains("missing")) style.missing = json.at("missing").get<std::vector<std::string>>();
  if (json.contains("encoding")) style.encoding = encoding_from(json.at("encoding").get<std::string>());
  return style;
}

}  // namespace strata
