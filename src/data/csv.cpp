#include <fmt/core.h>

#include <array>

#include "data/cells.h"
#include "data/csv_blocks.h"
#include "data/csv_header.h"
#include "data/names.h"
#include "strata/data/read.h"

namespace strata {

namespace {

// Cells per record over the first records; 0 when their numbers differ.
std::size_t steady_width(const Text& text, char separator) {
  constexpr int records = 20;
  CellReader reader(text, {.separator = separator});
  std::size_t width = 0;
  for (int r = 0; r < records && reader.next_record(); ++r) {
    std::size_t cells = 0;
    for (; reader.has_cell(); ++cells) reader.take_text();
    if (r > 0 && cells != width) return 0;
    width = cells;
  }
  return width;
}

std::size_t first_width(const Text& text, char separator) {
  CellReader reader(text, {.separator = separator});
  reader.next_record();
  std::size_t cells = 0;
  for (; reader.has_cell(); ++cells) reader.take_text();
  return cells;
}

// A wrong separator may meet text after a closing quote; that only says that it is the wrong one.
template <class Width>
std::size_t width_or_zero(Width width, const Text& text, char separator) {
  try {
    return width(text, separator);
  } catch (const DataError&) {
    return 0;
  }
}

// Tab and semicolon come first: commas also occur inside numbers and sentences, the others hardly do.
char detect_separator(const Text& text) {
  constexpr std::array<char, 3> candidates{'\t', ';', ','};
  for (const char candidate : candidates)
    if (width_or_zero(steady_width, text, candidate) > 1) return candidate;
  char best = ',';
  std::size_t most = 1;
  for (const char candidate : candidates) {  // some record is ragged: the header decides
    const std::size_t width = width_or_zero(first_width, text, candidate);
    if (width > most) {
      best = candidate;
      most = width;
    }
  }
  return best;
}

std::vector<std::string> first_record(CellReader& reader) {
  std::vector<std::string> cells;
  reader.next_record();
  while (reader.has_cell()) cells.emplace_back(reader.take_text());
  return cells;
}

bool looks_like_header(const std::vector<std::string>& cells) {
  bool any_name = false;
  for (const std::string& cell : cells) {
    double value = 0;
    if (is_missing_token(cell)) continue;
    if (parse_number(cell, value)) return false;
    any_name = true;
  }
  return any_name;
}

std::vector<ColumnDeclaration> named(const std::vector<std::string>& cells, bool header) {
  std::vector<ColumnDeclaration> columns;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const bool has_name = header && !cells[c].empty();
    columns.push_back({has_name ? cells[c] : fmt::format("column{}", c + 1), std::nullopt, {}});
  }
  return columns;
}

char checked_separator(char separator) {
  if (separator == ',' || separator == ';' || separator == '\t') return separator;
  throw InvalidOption("separator", std::string(1, separator), "use a comma, a semicolon or a tab");
}

Table parse(const Text& text, const ReadOptions& options) {
  const CellReader start(text, {.separator = csv_separator(text, options)});
  CellReader reader = start;
  CsvHeader header = read_csv_header(text, reader, options);
  apply_lists(options, header.columns);
  return read_columns(text, header.present ? reader : start, header.columns);
}

}  // namespace

char csv_separator(const Text& text, const ReadOptions& options) {
  return options.separator ? checked_separator(*options.separator) : detect_separator(text);
}

CsvHeader read_csv_header(const Text& text, CellReader& reader, const ReadOptions& options) {
  const std::vector<std::string> cells = first_record(reader);
  const bool present =
      options.header == Header::detect ? looks_like_header(cells) : options.header == Header::present;
  CsvHeader header{named(cells, present), present};
  refuse_duplicates(header.columns, {text.file(), reader.record_line()});
  return header;
}

CsvHead read_csv_head(RecordPieces& pieces, const std::string& file, const ReadOptions& options) {
  const char separator = csv_separator(Text::piece(file, pieces.head(), 1), options);
  for (;;) {
    const std::size_t line = pieces.line();
    const std::string_view record = pieces.take(1, separator);
    if (record.empty()) throw DataError({file}, "the file is empty; a table needs rows");
    const Text text = Text::piece(file, record, line);
    CellReader reader(text, text.begin(), line, {.separator = separator});
    if (!CellReader(reader).next_record()) continue;  // a blank line
    CsvHeader header = read_csv_header(text, reader, options);
    if (!header.present) pieces.put_back();
    return {separator, std::move(header.columns)};
  }
}

Table read_csv(const std::filesystem::path& path, const ReadOptions& options) {
  if (std::optional<Table> table = read_csv_in_blocks(path, options)) return std::move(*table);
  return parse(read_text(path), options);
}

Table parse_csv(std::string_view text, const std::string& name, const ReadOptions& options) {
  return parse(Text(name, text), options);
}

}  // namespace strata
