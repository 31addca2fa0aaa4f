#include "strata/core/suggestion.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

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
  const std::string nearest = nearest_first(name, candidates).front();
  if (edit_distance(name, nearest) <= std::max<std::size_t>(1, name.size() / 2))
    return fmt::format("; did you mean '{}'?", nearest);
  constexpr std::size_t most = 12;
  const auto listed = candidates.first(std::min(most, candidates.size()));
  return fmt::format("; there are: {}{}", fmt::join(listed, ", "), candidates.size() > most ? ", ..." : "");
}

std::vector<std::string> nearest_first(std::string_view name, std::span<const std::string> candidates) {
  std::vector<std::string> ordered(candidates.begin(), candidates.end());
  std::ranges::stable_sort(ordered, {}, [&](const std::string& other) { return edit_distance(name, other); });
  return ordered;
}

}  // namespace strata
