#include "data/number_text.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <string>

#include "data/names.h"

namespace strata {

namespace {

constexpr std::array<std::string_view, 12> units{"",    "%",   "$",   "\u20ac", "\u00a3", "\u00a5",
                                                 "USD", "EUR", "GBP", "CHF",    "JPY",    "Fr."};

bool parse(std::string_view text, char decimal, double& value) {
  const char* from = text.data();
  const char* to = from + text.size();
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') ++from;
  const auto parsed = fast_float::from_chars_advanced(
      from, to, value, fast_float::parse_options(fast_float::chars_format::general, decimal));
  return parsed.ec == std::errc() && parsed.ptr == to;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 1,234,567.5 -> 1234567.5; nothing when the groups are not of three digits, or there is only one.
std::optional<std::string> without_groups(std::string_view text, char decimal, char thousands) {
  std::string digits;
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) digits += text[at++];
  const std::size_t whole_end = std::min(text.find(decimal, at), text.size());
  std::size_t group = 0;
  bool grouped = false;
  for (; at < whole_end; ++at) {
    if (is_digit(text[at])) {
      digits += text[at];
      ++group;
    } else if (text[at] == thousands && group > 0 && group <= 3 && (!grouped || group == 3)) {
      grouped = true;
      group = 0;
    } else {
      return {};
    }
  }
  if (!grouped || group != 3) return {};
  return digits.append(text.substr(whole_end));
}

// Takes a unit off one end; the sign of the number may stand before it.
Unit take_unit(std::string_view& text, bool& negative) {
  for (Unit unit = 1; unit < units.size(); ++unit) {
    if (text.ends_with(units[unit])) {
      text = trim(text.substr(0, text.size() - units[unit].size()));
      return unit;
    }
    const bool sign = text.starts_with('-');
    if (unit > 1 && trim(text.substr(sign ? 1 : 0)).starts_with(units[unit])) {
      text = trim(trim(text.substr(sign ? 1 : 0)).substr(units[unit].size()));
      negative = sign;
      return unit;
    }
  }
  return 0;
}

}  // namespace

std::string_view unit_text(Unit unit) { return units[unit]; }

std::optional<Unit> unit_from(std::string_view text) {
  const auto found = std::ranges::find(units, text);
  if (found == units.end()) return {};
  return static_cast<Unit>(found - units.begin());
}

bool parse_number(std::string_view text, double& value) { return parse(text, '.', value); }

std::optional<WrittenNumber> read_number(std::string_view text, NumberStyle style) {
  WrittenNumber number;
  if (parse(text, style.decimal, number.value)) return number;
  bool negative = false;
  number.unit = take_unit(text, negative);
  const char other = style.decimal == '.' ? ',' : '.';
  const char thousands = style.thousands == '\0' ? other : style.thousands;
  if (const auto plain = without_groups(text, style.decimal, thousands)) {
    if (!parse(*plain, style.decimal, number.value)) return {};
  } else if (number.unit == 0 || !parse(text, style.decimal, number.value)) {
    return {};
  }
  if (negative) number.value = -number.value;
  return number;
}

}  // namespace strata
