#include "data/columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/names.h"
#include "strata/core/option_text.h"

namespace strata {

CategoryIndex::CategoryIndex(const std::vector<std::string>& known) {
  for (const std::string& category : known) find_or_add(category);
}

std::int32_t CategoryIndex::find(std::string_view category) const {
  const auto found = codes_.find(category);
  return found == codes_.end() ? Column::missing_code : found->second;
}

std::int32_t CategoryIndex::find_or_add(std::string_view category) {
  if (const auto found = codes_.find(category); found != codes_.end()) return found->second;
  const auto code = static_cast<std::int32_t>(categories_.size());
  codes_.emplace(category, code);
  categories_.emplace_back(category);
  return code;
}

std::vector<std::int32_t> sort_categories(std::vector<std::string>& categories) {
  std::vector<std::size_t> order(categories.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return categories[a] < categories[b]; });
  std::vector<std::string> sorted;
  std::vector<std::int32_t> rank(categories.size());
  for (const std::size_t old : order) {
    rank[old] = static_cast<std::int32_t>(sorted.size());
    sorted.push_back(std::move(categories[old]));
  }
  categories = std::move(sorted);
  return rank;
}

void ColumnSurvey::count(std::string_view cell, std::size_t line, const CellRules& rules, std::size_t times) {
  if (const auto number = rules.number(cell)) {
    numbers += times;
    if (unit == 0) unit = number->unit;
    return;
  }
  if (texts == 0) {
    first_text = shown(cell);
    first_text_line = line;
  }
  texts += times;
}

void ColumnSurvey::refuse_if_stray(std::size_t all_numbers, std::size_t all_texts, const std::string& file,
                                   std::size_t position, std::string_view name) const {
  if (all_texts * 20 >= all_numbers + all_texts) return;
  throw DataError(
      {file, first_text_line, position + 1},
      fmt::format(
          "'{}' is not a number, and column '{}' otherwise holds numbers; correct the value, give it as a "
          "marker of missing values by {}, or take the column as categories by {}",
          first_text, name, option_text("na", first_text), option_text("categorical", name)));
}

std::vector<ColumnSurvey> survey(const Text& text, CellReader reader,
                                 const std::vector<ColumnDeclaration>& columns, const CellRules& rules) {
  std::vector<ColumnSurvey> surveys(columns.size());
  while (reader.next_record())
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!reader.has_cell()) refuse_ragged(text, reader, c, columns.size());
      double value = 0;
      const std::size_t line = reader.line();
      if (reader.take_number(value)) {
        surveys[c].numbers += std::isnan(value) || rules.is_missing(value) ? 0 : 1;
        continue;
      }
      const std::string_view cell = reader.take_text();
      if (!rules.is_missing(cell)) surveys[c].count(cell, line, rules);
    }
  return surveys;
}

void refuse_ragged(const Text& text, CellReader reader, std::size_t taken, std::size_t expected) {
  for (; reader.has_cell(); ++taken) reader.take_text();
  throw DataError(
      {text.file(), reader.record_line()},
      fmt::format("the row has {} cell{} where the table has {} columns; add or remove cells, or quote "
                  "text that contains the separator",
                  taken, taken == 1 ? "" : "s", expected));
}

}  // namespace strata
