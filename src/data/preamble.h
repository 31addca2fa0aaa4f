#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace strata {

// Lines before a table that may not belong to it.
struct Preamble {
  struct Line {
    std::string_view text;
    std::size_t end = 0;    // of the line, in bytes of the whole text
    std::size_t lines = 0;  // up to there
  };

  char separator = '\0';     // that a first line "sep=;" names, which spreadsheets write for each other
  Line told = {};            // that line; `lines` is 0 where there is none
  std::vector<Line> hashed;  // lines that begin with #; blank ones between them are passed over
  std::size_t body = 0;      // where the first line begins that is neither
};

// A text with nothing but such lines has no preamble: they are its rows.
Preamble preamble_of(std::string_view text);

}  // namespace strata
