#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace strata {

// How numbers are written in a file.
struct NumberStyle {
  char decimal = '.';
  char thousands = '\0';  // '\0': the other one of comma and point
};

// A percent sign or a currency that stands beside a number.
using Unit = std::size_t;  // place in the list of known units; 0: none
std::string_view unit_text(Unit unit);
std::optional<Unit> unit_from(std::string_view text);

// One number, the whole of `text`, a decimal point in it; a leading plus sign is allowed.
bool parse_number(std::string_view text, double& value);

// The same with the decimal sign of a file, groups of three digits with a separator between them, and a unit before or
// after: 1,234.50 or $12 or -3 %.
struct WrittenNumber {
  double value = 0;
  Unit unit = 0;
};
std::optional<WrittenNumber> read_number(std::string_view text, NumberStyle style);

}  // namespace strata
