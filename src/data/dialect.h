#pragma once

namespace strata {

// How the cells of a text are separated, quoted and written.
struct Dialect {
  char separator = ',';        // ' ': any run of blanks and tabs
  char quote = '"';            // '\0': none
  bool single_quotes = false;  // ARFF, KEEL: 'a' as well as "a", and \' inside
  char comment = '\0';         // lines that start with it are skipped
  char decimal = '.';

  [[nodiscard]] bool blanks() const { return separator == ' '; }
  [[nodiscard]] bool separates(char c) const { return c == separator || (c == '\t' && blanks()); }
  [[nodiscard]] bool is_quote(char c) const {
    return quote != '\0' && (c == quote || (c == '\'' && single_quotes));
  }
};

}  // namespace strata
