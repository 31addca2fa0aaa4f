#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace strata {

// Bad input is an exception at the door. The message is one sentence a user can act on; what() is that sentence, made
// printable: names out of a file may hold line ends and escape sequences.
class Error : public std::runtime_error {
 public:
  explicit Error(std::string_view message);
};

// An option with a value that cannot be used: names the option, the value and the remedy.
class InvalidOption : public Error {
 public:
  InvalidOption(std::string_view field, std::string_view value, std::string_view remedy);
};

// Where in a file something is wrong. Line and column count from 1; 0 means "not known".
struct Location {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

// A file that cannot be read as a table: "houses.csv, line 7, column 3: ...".
class DataError : public Error {
 public:
  DataError(const Location& where, std::string_view problem);
};

}  // namespace strata
