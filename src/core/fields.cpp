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

template <class T>
bool reads_off(const Field& field, std::string_view text, T& value) {
  if (text != "off" || std::isnan(field.bound.off)) return false;
  value = static_cast<T>(field.bound.off);
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
  if (reads_off(field, text, value)) return true;
  double unit = 1;
  if (field.bound.is_time && !text.empty() && std::string_view("smh").find(text.back()) != text.npos) {
    unit = text.back() == 'h' ? 3600 : text.back() == 'm' ? 60 : 1;
    text.remove_suffix(1);
  }
  if (!parse(text, value)) return false;
  value *= unit;
  return true;
}

bool read_text(const Field& field, std::string_view text, std::int64_t& value) {
  return reads_off(field, text, value) || parse(text, value);
}

bool read_text(const Field& field, std::string_view text, std::uint64_t& value) {
  return reads_off(field, text, value) || parse(text, value);
}

bool read_text(const Field& /*field*/, std::string_view text, std::string& value) {
  value = text;
  return true;
}

bool read_text(const Field& /*field*/, std::string_view text, bool& value) {
  const bool on = text == "on" || text == "true";
  if (!on && text != "off" && text != "false") return false;
  value = on;
  return true;
}

std::string accepted_number(const Bound& bound, std::string_view noun) {
  if (bound.is_time) return "a time above 0 such as 90, 90s, 1.5m or 2h";
  std::string text(noun);
  if (std::isfinite(bound.least))
    text += fmt::format(" {} {}", bound.above ? "above" : "of at least", bound.least);
  if (std::isfinite(bound.most))
    text += fmt::format(", {} {}", bound.below ? "below" : "at most", bound.most);
  if (bound.may_be_empty) text += ", or none";
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
  throw InvalidOption(fmt::format("{}{}{}", owner, owner.empty() ? "" : ".", field), value,
                      "use " + accepted);
}

}  // namespace strata
