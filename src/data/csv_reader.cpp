#include <fmt/format.h>

#include "data/csv_header.h"
#include "data/names.h"
#include "data/record_pieces.h"
#include "strata/core/suggestion.h"
#include "strata/data/csv.h"

namespace strata {

struct CsvReader::State {
  State(std::istream& in, std::string name) : file(std::move(name)), pieces(in, file) {}

  void read_header(const ReadOptions& options) {
    CsvHead head = read_csv_head(pieces, file, options);
    separator = head.separator;
    columns = std::move(head.columns);
  }

  void declare(const ReadOptions& options) {
    for (const ColumnDeclaration& column : columns) names.push_back(column.name);
    const NameIndex known(names);
    for (const auto& list : {options.numeric, options.nominal})
      for (const std::string& name : list)
        if (!known.find(name))
          throw DataError({file}, fmt::format("there is no column '{}'{}", name, suggestion(name, names)));
    if (options.numeric.empty() && options.nominal.empty())
      throw InvalidOption("numeric", "", "declare the columns that are to be read in pieces");
    apply_lists(options, columns);
    for (ColumnDeclaration& column : columns) column.skip = !column.type.has_value();
  }

  Table next(std::size_t rows) {
    for (;;) {
      const std::size_t line = pieces.line();
      const std::string_view records = pieces.take(rows, separator);
      if (records.empty()) return end();
      const Text text = Text::piece(file, records, line);
      Table table = read_piece(text, {text, text.begin(), line, {.separator = separator}}, columns);
      if (table.lines.empty()) continue;  // blank lines
      any_row = true;
      return table;
    }
  }

  [[nodiscard]] Table end() const {
    if (!any_row) throw DataError({file}, "there is a header but no row; a table needs rows");
    return {.file = file};
  }

  std::string file;
  RecordPieces pieces;
  char separator = ',';
  std::vector<ColumnDeclaration> columns;
  std::vector<std::string> names;
  bool any_row = false;
};

CsvReader::CsvReader(std::istream& in, std::string name, const ReadOptions& options)
    : state_(std::make_unique<State>(in, std::move(name))) {
  state_->read_header(options);
  state_->declare(options);
}

CsvReader::~CsvReader() = default;

const std::vector<std::string>& CsvReader::names() const { return state_->names; }

Table CsvReader::next(std::size_t rows) {
  if (rows == 0) throw InvalidOption("rows", "0", "read at least one row at once");
  return state_->next(rows);
}

std::string csv_cell(std::string_view text) {
  const bool blank_ends = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!blank_ends && text.find_first_of(",;\t\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace strata
