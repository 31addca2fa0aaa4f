#include "strata/data/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "strata/core/suggestion.h"

namespace strata {

namespace {

template <class T>
std::vector<T> gather(std::span<const T> values, std::span<const std::size_t> rows) {
  std::vector<T> taken;
  taken.reserve(rows.size());
  for (const std::size_t row : rows) taken.push_back(values[row]);
  return taken;
}

}  // namespace

bool Column::is_missing(std::size_t row) const {
  return type == ColumnType::numeric ? std::isnan(numbers[row]) : codes[row] == missing_code;
}

std::string Column::text(std::size_t row) const {
  if (is_missing(row)) return "?";
  return type == ColumnType::numeric ? fmt::format("{}", numbers[row])
                                     : categories[static_cast<std::size_t>(codes[row])];
}

Column Column::take(std::span<const std::size_t> rows) const {
  Column taken{.name = name, .type = type, .categories = categories, .position = position, .unit = unit};
  if (type == ColumnType::numeric)
    taken.numbers = gather<double>(numbers, rows);
  else
    taken.codes = gather<std::int32_t>(codes, rows);
  return taken;
}

Column numeric_column(std::string name, std::vector<double> numbers) {
  return {.name = std::move(name), .type = ColumnType::numeric, .numbers = std::move(numbers)};
}

Column nominal_column(std::string name, std::vector<std::string> categories,
                      std::vector<std::int32_t> codes) {
  return {.name = std::move(name),
          .type = ColumnType::nominal,
          .categories = std::move(categories),
          .codes = std::move(codes)};
}

bool Table::on_disk() const {
  return std::ranges::any_of(
      columns, [](const Column& column) { return !column.numbers.in_memory() || !column.codes.in_memory(); });
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> all;
  all.reserve(columns.size());
  for (const Column& column : columns) all.push_back(column.name);
  return all;
}

std::optional<std::size_t> Table::find(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::size_t Table::index(std::string_view name) const {
  if (const auto found = find(name)) return *found;
  throw DataError({file}, fmt::format("there is no column '{}'{}", name, suggestion(name, names())));
}

DataError Table::refusal(std::size_t row, std::size_t column, std::string_view problem) const {
  const std::size_t position = columns[column].position > 0 ? columns[column].position : column + 1;
  if (row < lines.size()) return {{file, lines[row], position}, problem};
  return {{file}, fmt::format("row {}, column {}: {}", row + 1, position, problem)};
}

void take_weights(Table& table, std::string_view name) {
  const std::size_t index = table.index(name);
  const Column& column = table.columns[index];
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (column.is_missing(row) || column.type != ColumnType::numeric || column.numbers[row] < 0)
      throw table.refusal(row, index,
                          fmt::format("the weight '{}' is {}, and a weight is a number, 0 or more", name,
                                      column.is_missing(row) ? "missing" : column.text(row)));
  // Positions are those of the file.
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].position == 0) table.columns[c].position = c + 1;
  table.weights = table.columns[index].numbers.take();
  table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(index));
}

Table take_rows(const Table& table, std::span<const std::size_t> rows) {
  Table taken{.file = table.file, .outputs = table.outputs, .style = table.style, .notices = table.notices};
  taken.columns.reserve(table.columns.size());
  for (const Column& column : table.columns) taken.columns.push_back(column.take(rows));
  if (!table.lines.empty()) taken.lines = gather<std::size_t>(table.lines, rows);
  if (!table.weights.empty()) taken.weights = gather<double>(table.weights, rows);
  return taken;
}

std::vector<std::size_t> rows_with_values(const Table& table, std::span<const std::string> names) {
  std::vector<const Column*> wanted;
  for (const std::string& name : names) wanted.push_back(&table.column(name));
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (std::none_of(wanted.begin(), wanted.end(), [&](const Column* c) { return c->is_missing(row); }))
      rows.push_back(row);
  return rows;
}

}  // namespace strata
