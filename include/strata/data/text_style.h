#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

enum class Header { detect, present, absent };
enum class Encoding { detect, utf8, utf16, latin1 };  // latin1 is read as Windows-1252, which contains it
Encoding encoding_from(std::string_view name);        // utf-8, utf-16 or latin-1; refuses others

// How a table is written as text. What is not given is detected, or the default.
struct TextStyle {
  std::optional<char> separator = {};  // comma, semicolon, tab, | or a blank, which means any run of blanks
  std::optional<char> quote = {};      // around texts; '\0': none (")
  std::optional<char> decimal = {};    // point or comma
  std::optional<char> thousands = {};  // between groups of three digits; the other one of point and comma
  Header header = Header::detect;
  std::vector<std::string> names = {};  // of the columns, instead of those of the file
  // Texts that stand for a missing value, beside an empty cell; in upper or lower case. Not given: those of
  // missing_markers().
  std::optional<std::vector<std::string>> missing = {};
  Encoding encoding = Encoding::detect;

  friend bool operator==(const TextStyle&, const TextStyle&) = default;
};

// What `given` says, and for the rest what `otherwise` says.
TextStyle merged(const TextStyle& given, const TextStyle& otherwise);

// NA, N/A, null, none, nan, <null>, -, . and ?
const std::vector<std::string>& missing_markers();

}  // namespace strata
