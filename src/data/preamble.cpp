#include "data/preamble.h"

#include "data/names.h"

namespace strata {

namespace {

// The line from here on, without its end.
Preamble::Line line_at(std::string_view text, std::size_t begin, std::size_t lines_before) {
  const std::size_t end = text.find('\n', begin);
  std::string_view line = text.substr(begin, end == std::string_view::npos ? end : end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return {line, end == std::string_view::npos ? text.size() : end + 1, lines_before + 1};
}

}  // namespace

Preamble preamble_of(std::string_view text) {
  Preamble found;
  Preamble::Line line = line_at(text, 0, 0);
  if (line.text.size() == 5 && lower_case(line.text).starts_with("sep=") && line.end < text.size()) {
    found.separator = line.text.back();
    found.told = line;
  }
  found.body = found.told.end;
  std::size_t lines = found.told.lines;
  for (std::size_t at = found.body; at < text.size(); at = line.end) {
    line = line_at(text, at, lines);
    lines = line.lines;
    const std::size_t first = line.text.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    if (line.text[first] != '#') {
      if (!found.hashed.empty()) found.body = at;
      return found;
    }
    found.hashed.push_back(line);
  }
  found.hashed.clear();
  return found;
}

}  // namespace strata
