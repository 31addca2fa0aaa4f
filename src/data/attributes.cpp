// The head of an ARFF or KEEL text: both describe columns by @attribute lines.
#include <fmt/core.h>

#include <algorithm>

#include "data/names.h"
#include "data/text_head.h"
#include "strata/core/suggestion.h"

namespace strata {

namespace {

constexpr Dialect rows_dialect{.separator = ',', .single_quotes = true, .comment = '%'};
constexpr Dialect lines_dialect{.separator = '\0', .quote = '\0'};

struct Attributes {
  std::vector<ColumnDeclaration> columns;
  std::vector<std::string> inputs;   // KEEL's @inputs; empty when not given
  std::vector<std::string> outputs;  // KEEL's @outputs
};

std::string_view first_word(std::string_view text, std::string_view stops) {
  return text.substr(0, text.find_first_of(stops));
}

std::string_view rest(std::string_view text, std::size_t taken) { return trim(text.substr(taken)); }

// Values between commas, quotes taken off: the cells of a one-line table.
std::vector<std::string> split_list(std::string_view list, const Location& where) {
  if (trim(list).empty()) return {};
  const Text text = Text::piece(where.file, list, where.line);
  CellReader reader(text, text.begin(), where.line, rows_dialect);
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
  } else if (word == "string" || word == "nominal" || word == "date") {
    column.type = ColumnType::nominal;
  } else {
    throw DataError(
        where, fmt::format("attribute '{}' has the type '{}'; use numeric, real, integer, string, date or a "
                           "list {{a, b}}",
                           shown(column.name), shown(type)));
  }
}

void read_declaration(std::string_view line, const Location& where, Attributes& attributes) {
  const std::string keyword = lower_case(first_word(line, " \t"));
  std::string_view value = rest(line, keyword.size());
  if (keyword == "@attribute") {
    ColumnDeclaration column;
    column.name = take_name(value, where);
    read_type(value, column, where);
    attributes.columns.push_back(std::move(column));
  } else if (keyword == "@inputs" || keyword == "@input") {
    attributes.inputs = split_list(value, where);
  } else if (keyword == "@outputs" || keyword == "@output") {
    attributes.outputs = split_list(value, where);
  } else if (keyword != "@relation") {
    throw DataError(where, fmt::format("'{}' is not known before @data; use @relation, @attribute or @data",
                                       shown(keyword)));
  }
}

bool is_comment(std::string_view line) { return line.empty() || line[0] == '%'; }

Attributes read_attributes(RecordPieces& pieces, const std::string& file) {
  Attributes attributes;
  for (;;) {
    Location where{file, pieces.line()};
    const std::string_view piece = pieces.take(1, lines_dialect);
    if (piece.empty()) throw DataError(where, "there is no @data line; put one before the rows");
    std::string_view line = piece;
    if (line.ends_with('\n')) line.remove_suffix(1);
    line = trim(line);
    if (is_comment(line)) continue;
    if (lower_case(line) == "@data") return attributes;
    read_declaration(line, where, attributes);
  }
}

void refuse_sparse_rows(RecordPieces& pieces, const std::string& file) {
  for (;;) {
    const std::size_t line = pieces.line();
    const std::string_view record = pieces.take(1, lines_dialect);
    if (record.empty()) return;
    const std::string_view text = trim(record.substr(0, record.find('\n')));
    if (is_comment(text)) continue;
    if (text[0] == '{') throw DataError({file, line}, "sparse rows {...} are not read; write every value");
    return pieces.put_back();
  }
}

// Where inputs are listed, an attribute in neither list takes no part.
void apply_roles(Attributes& attributes, const std::string& file) {
  std::vector<std::string> names;
  for (const ColumnDeclaration& column : attributes.columns) names.push_back(column.name);
  const auto refuse_unknown = [&](const std::vector<std::string>& listed, std::string_view keyword) {
    for (const std::string& name : listed)
      if (!contains(names, name))
        throw DataError({file}, fmt::format("{} names '{}', which is no attribute{}", keyword, shown(name),
                                            suggestion(name, names)));
  };
  refuse_unknown(attributes.inputs, "@inputs");
  refuse_unknown(attributes.outputs, "@outputs");
  if (attributes.inputs.empty()) return;
  for (ColumnDeclaration& column : attributes.columns)
    column.skip = !contains(attributes.inputs, column.name) && !contains(attributes.outputs, column.name);
}

}  // namespace

TextHead read_attribute_head(RecordPieces& pieces, const std::string& file, const ReadOptions& options) {
  Attributes attributes = read_attributes(pieces, file);
  if (attributes.columns.empty())
    throw DataError({file}, "there is no usable column; declare some with @attribute");
  refuse_duplicates(attributes.columns, {file});
  apply_roles(attributes, file);
  refuse_sparse_rows(pieces, file);
  TextStyle style = options.style;
  style.decimal = {};  // the format has a point
  style.thousands = {};
  return {.dialect = rows_dialect,
          .columns = std::move(attributes.columns),
          .outputs = std::move(attributes.outputs),
          .style = std::move(style)};
}

bool begins_with_attributes(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = trim(text.substr(0, text.find('\n')));
    if (!is_comment(line)) return line[0] == '@';
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return false;
}

}  // namespace strata
