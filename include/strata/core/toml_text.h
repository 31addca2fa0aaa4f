#pragma once

#include <string>
#include <string_view>

namespace strata {

// Refuses (DataError, with file and line) a text that the TOML parser does not survive: the parser takes for granted that
// letters outside of strings and comments are ASCII, as TOML demands. To be called before every parse. Strings of several
// lines must be ASCII too.
void check_toml_text(std::string_view text, const std::string& file);

// What the parser asserts, as an exception. Define TOML_ASSERT as this before the parser's header is included.
struct TomlFault {
  static constexpr std::string_view description = "not TOML: a name or value stands where none can be";
};
constexpr void require_toml(bool holds) {
  if (!holds) throw TomlFault{};
}

}  // namespace strata
