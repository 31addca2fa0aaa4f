#include "strata/core/fields.h"

#include <fmt/format.h>

#include <charconv>

#include "strata/core/errors.h"

namespace strata {

namespace {

template <class T>
bool parse(std::string_view text, T& value) {
  T parsed{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || stop != end) return false;
  value = parsed;
  return true;
}

}  // namespace

std::string text_of(const Field& field, double value) {
  return value == field.bound.off ? "off" : fmt::format("{}", value);
}

std::string text_of(const Field& /*field*/, bool value) { return value ? "on" : "off"; }

void append_item(std::string& list, std::string_view separator, std::string_view item) {
  if (!list.empty()) list += separator;
  list += item;
}

bool read_text(const Field& field, std::string_view text, double& value) {
  if (text != "off" || std::isnan(field.bound.off)) return parse(text, value);
  value = field.bound.off;
  return true;
}

bool read_text(const Field& field, std::string_view text, std::int64_t& value) {
  if (text != "off" || std::isnan(field.bound.off)) return parse(text, value);
  value = static_cast<std::int64_t>(field.bound.off);
  return true;
}

bool read_text(const Field& /*field*/, std::string_view text, bool& value) {
  if (text != "on" && text != "off") return false;
  value = text == "on";
  return true;
}

std::string accepted_number(const Bound& bound, std::string_view noun) {
  std::string text(noun);
  if (std::isfinite(bound.least))
    text += fmt::format(" {} {}", bound.above ? "above" : "of at least", bound.least);
  if (std::isfinite(bound.most))
    text += fmt::format(", {} {}", bound.below ? "below" : "at most", bound.most);
  return std::isnan(bound.off) ? text : text + ", or off";
}

std::string one_of(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  return text;
}

void refuse_value(std::string_view owner, std::string_view field, std::string_view value,
                  const std::string& accepted) {
  throw InvalidOption(fmt::format("{}.{}", owner, field), value, "use " + accepted);
}

}  // namespace strata
