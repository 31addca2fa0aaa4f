#include "data/attributes.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/names.h"

namespace strata {

namespace {

std::string_view first_word(std::string_view text, std::string_view stops) {
  return text.substr(0, text.find_first_of(stops));
}

std::string_view rest(std::string_view text, std::size_t taken) { return trim(text.substr(taken)); }

// Values between commas, quotes taken off: the cells of a one-line table.
std::vector<std::string> split_list(std::string_view list, const Location& where) {
  if (trim(list).empty()) return {};
  const Text text(where.file, list);
  CellReader reader(text, text.begin(), where.line, attribute_dialect);
  std::vector<std::string> values;
  reader.next_record();
  while (reader.has_cell()) values.emplace_back(reader.take_text());
  return values;
}

// Takes the name off the front of "name type"; it may be quoted, and a list may follow it without a blank.
std::string take_name(std::string_view& line, const Location& where) {
  if (line.empty()) throw DataError(where, "an attribute has no name; write @attribute name type");
  if (line[0] != '\'' && line[0] != '"') {
    const std::string_view name = first_word(line, " \t{");
    line = rest(line, name.size());
    return std::string(name);
  }
  std::size_t end = 1;
  while (end < line.size() && line[end] != line[0]) end += line[end] == '\\' ? 2 : 1;
  if (end >= line.size())
    throw DataError(where, "the quote around an attribute's name is not closed; close it");
  std::vector<std::string> name = split_list(line.substr(0, end + 1), where);
  line = rest(line, end + 1);
  return std::move(name.front());
}

void read_type(std::string_view type, ColumnDeclaration& column, const Location& where) {
  if (!type.empty() && type[0] == '{') {
    const std::size_t end = type.rfind('}');
    if (end == std::string_view::npos)
      throw DataError(where, "a list of values is not closed; end it with '}'");
    column.type = ColumnType::nominal;
    column.categories = split_list(type.substr(1, end - 1), where);
    if (column.categories.empty()) throw DataError(where, "a list of values is empty; name the values");
    return;
  }
  const std::string word = lower_case(first_word(type, " \t[{"));
  if (word == "numeric" || word == "real" || word == "integer") {
    column.type = ColumnType::numeric;
  } else if (word == "string" || word == "nominal") {
    column.type = ColumnType::nominal;
  } else {
    throw DataError(where,
                    fmt::format("attribute '{}' has the type '{}'; use numeric, real, integer, string or a "
                                "list {{a, b}}",
                                shown(column.name), shown(type)));
  }
}

void read_declaration(std::string_view line, const Location& where, AttributeHeader& header) {
  const std::string keyword = lower_case(first_word(line, " \t"));
  std::string_view value = rest(line, keyword.size());
  if (keyword == "@attribute") {
    ColumnDeclaration column;
    column.name = take_name(value, where);
    read_type(value, column, where);
    header.columns.push_back(std::move(column));
  } else if (keyword == "@inputs" || keyword == "@input") {
    header.inputs = split_list(value, where);
  } else if (keyword == "@outputs" || keyword == "@output") {
    header.outputs = split_list(value, where);
  } else if (keyword != "@relation") {
    throw DataError(where, fmt::format("'{}' is not known before @data; use @relation, @attribute or @data",
                                       shown(keyword)));
  }
}

}  // namespace

AttributeHeader read_attributes(const Text& text) {
  AttributeHeader header;
  Location where{text.file(), 0};
  for (const char* at = text.begin(); at < text.end();) {
    const char* end = std::find(at, text.end(), '\n');
    const std::string_view line = trim({at, static_cast<std::size_t>(end - at)});
    ++where.line;
    at = end + 1;
    if (line.empty() || line[0] == '%') continue;
    if (lower_case(line) == "@data") {
      header.data = std::min(at, text.end());
      header.data_line = where.line + 1;
      break;
    }
    read_declaration(line, where, header);
  }
  if (header.data == nullptr) throw DataError(where, "there is no @data line; put one before the rows");
  if (header.columns.empty())
    throw DataError(where, "there is no usable column; declare some with @attribute");
  refuse_duplicates(header.columns, {text.file()});
  return header;
}

Table read_rows(const Text& text, const AttributeHeader& header) {
  const CellReader start(text, header.data, header.data_line, attribute_dialect);
  CellReader probe = start;
  if (probe.next_record() && *probe.position() == '{')
    throw DataError({text.file(), probe.record_line()}, "sparse rows {...} are not read; write every value");
  return read_columns(text, start, header.columns);
}

}  // namespace strata
