#include "data/names.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace strata {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Levenshtein's distance, upper and lower case being the same.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  if (candidates.empty()) return "";
  const auto nearest = std::min_element(
      candidates.begin(), candidates.end(),
      [&](const auto& a, const auto& b) { return edit_distance(name, a) < edit_distance(name, b); });
  if (edit_distance(name, *nearest) <= std::max<std::size_t>(1, name.size() / 2))
    return fmt::format("; did you mean '{}'?", *nearest);
  constexpr std::size_t most = 12;
  const auto listed = candidates.first(std::min(most, candidates.size()));
  return fmt::format("; there are: {}{}", fmt::join(listed, ", "), candidates.size() > most ? ", ..." : "");
}

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

std::string shown(std::string_view value) {
  constexpr std::size_t most = 40;
  std::string text(value.substr(0, most));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U; }, '.');
  return value.size() > most ? text + "..." : text;
}

}  // namespace strata
