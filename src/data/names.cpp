#include "data/names.h"

#include <algorithm>

#include "strata/core/printable.h"
#include "strata/core/suggestion.h"

namespace strata {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

NameIndex::NameIndex(std::span<const std::string> names) {
  positions_.reserve(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) positions_.emplace(names[k], k);
}

std::optional<std::size_t> NameIndex::find(std::string_view name) const {
  const auto found = positions_.find(name);
  if (found == positions_.end()) return std::nullopt;
  return found->second;
}

void refuse_unknown(const Table& table, const std::vector<std::string>& names, std::string_view option) {
  const std::vector<std::string> known = table.names();
  const NameIndex index(known);
  for (const std::string& name : names)
    if (!index.find(name))
      throw InvalidOption(option, name, table.file + " has no such column" + suggestion(name, known));
}

std::string shown(std::string_view value) {
  constexpr std::size_t most = 40;
  const std::string text = printable(value.substr(0, most));
  return value.size() > most ? text + "..." : text;
}

}  // namespace strata
