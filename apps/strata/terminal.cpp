#include "terminal.h"

#include <unistd.h>

#include <cstdlib>

namespace app {

namespace {

bool colours_wanted() {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string coloured(Paint paint, std::string_view text, bool seen) {
  if (!seen || !colours_wanted() || paint == Paint::plain) return std::string(text);
  const char* const code = paint == Paint::error ? "\033[31m" : paint == Paint::note ? "\033[2m" : "\033[1m";
  return code + std::string(text) + "\033[0m";
}

}  // namespace

bool errors_are_seen() { return ::isatty(STDERR_FILENO) == 1; }
bool results_are_seen() { return ::isatty(STDOUT_FILENO) == 1; }

std::string paint(Paint paint, std::string_view text) { return coloured(paint, text, errors_are_seen()); }
std::string paint_result(Paint paint, std::string_view text) {
  return coloured(paint, text, results_are_seen());
}

}  // namespace app
