#include "strata/core/errors.h"

#include <fmt/core.h>

#include "strata/core/printable.h"

namespace strata {

namespace {

std::string describe(const Location& where) {
  std::string text = where.file;
  if (where.line > 0) text += fmt::format(", line {}", where.line);
  if (where.column > 0) text += fmt::format(", column {}", where.column);
  return text;
}

}  // namespace

Error::Error(std::string_view message) : std::runtime_error(printable(message)) {}

InvalidOption::InvalidOption(std::string_view field, std::string_view value, std::string_view remedy)
    : Error(fmt::format("option '{}' = '{}': {}", field, value, remedy)) {}

DataError::DataError(const Location& where, std::string_view problem)
    : Error(fmt::format("{}: {}", describe(where), problem)) {}

}  // namespace strata
