#include "strata/data/write.h"

#include <fmt/format.h>

#include <iterator>
#include <ostream>

namespace strata {

namespace {

void append_cell(std::string& line, const Column& column, std::size_t row) {
  if (column.is_missing(row)) return;
  if (column.type == ColumnType::numeric)
    fmt::format_to(std::back_inserter(line), "{}", column.numbers[row]);
  else
    line += csv_cell(column.categories[static_cast<std::size_t>(column.codes[row])]);
}

void append_numbers(std::string& line, std::span<const double> numbers) {
  for (const double number : numbers)
    fmt::format_to(std::back_inserter(line), "{}{}", line.empty() ? "" : ",", number);
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const bool blank_ends = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!blank_ends && text.find_first_of(",;\t|\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void write_csv_header(std::ostream& out, std::span<const std::string> names) {
  std::string line;
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (c > 0) line += ',';
    line += csv_cell(names[c]);
  }
  out << line << '\n';
}

void write_csv(std::ostream& out, const Table& table) {
  write_csv_header(out, table.names());
  std::string line;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    line.clear();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) line += ',';
      append_cell(line, table.columns[c], row);
    }
    out << line << '\n';
  }
}

void write_csv_rows(std::ostream& out, const Dataset& data) {
  std::string line;
  Vector features(data.features());
  for (std::size_t row = 0; row < data.rows; ++row) {
    line.clear();
    data.write_features(row, {features.data(), 1, features.size()});
    append_numbers(line, features);
    append_numbers(line, data.y().row(row));
    out << line << '\n';
  }
}

}  // namespace strata
