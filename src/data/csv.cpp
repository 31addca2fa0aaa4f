// The head of a CSV text: separator, decimal sign and header are found in its first records.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "data/names.h"
#include "data/preamble.h"
#include "data/text_head.h"
#include "strata/core/option_text.h"

namespace strata {

namespace {

constexpr std::size_t most_columns = 100'000;

using Record = std::vector<std::string>;

Record take_record(CellReader& reader, const std::string& file) {
  Record cells;
  while (reader.has_cell()) {
    if (cells.size() == most_columns)
      throw DataError({file, reader.record_line()},
                      fmt::format("the row has more than {} cells; use fewer columns", most_columns));
    cells.emplace_back(reader.take_text());
  }
  return cells;
}

// The first records, fewer of them where they are long. A quoted text that the sample cuts ends it.
std::vector<Record> sample_of(const Text& text, const Dialect& dialect) {
  constexpr std::size_t most_records = 100;
  constexpr std::size_t most_cells = 20'000;
  std::vector<Record> records;
  std::size_t cells = 0;
  CellReader reader(text, dialect);
  try {
    while (records.size() < most_records && (records.size() < 2 || cells < most_cells) &&
           reader.next_record()) {
      records.push_back(take_record(reader, text.file()));
      cells += records.back().size();
    }
  } catch (const DataError&) {
    if (records.empty()) throw;
  }
  return records;
}

// Cells per record over the first records; 0 when their numbers differ.
std::size_t steady_width(const Text& text, const Dialect& dialect) {
  constexpr int records = 20;
  CellReader reader(text, dialect);
  std::size_t width = 0;
  for (int r = 0; r < records && reader.next_record(); ++r) {
    std::size_t cells = 0;
    for (; reader.has_cell(); ++cells) reader.take_text();
    if (r > 0 && cells != width) return 0;
    width = cells;
  }
  return width;
}

std::size_t first_width(const Text& text, const Dialect& dialect) {
  CellReader reader(text, dialect);
  reader.next_record();
  std::size_t cells = 0;
  for (; reader.has_cell(); ++cells) reader.take_text();
  return cells;
}

// A wrong separator may meet text after a closing quote; that only says that it is the wrong one.
template <class Width>
std::size_t width_or_zero(Width width, const Text& text, Dialect dialect, char separator) {
  dialect.separator = separator;
  try {
    return width(text, dialect);
  } catch (const DataError&) {
    return 0;
  }
}

// Commas also occur inside numbers and sentences, and blanks more so, the others hardly do.
char detect_separator(const Text& text, const Dialect& dialect) {
  constexpr std::array<char, 5> candidates{'\t', ';', '|', ',', ' '};
  for (const char candidate : candidates)
    if (width_or_zero(steady_width, text, dialect, candidate) > 1) return candidate;
  char best = ',';
  std::size_t most = 1;
  for (const char candidate : candidates) {  // some record is ragged: the header decides
    if (candidate == ' ') continue;
    const std::size_t width = width_or_zero(first_width, text, dialect, candidate);
    if (width > most) {
      best = candidate;
      most = width;
    }
  }
  return best;
}

// A comma where some number has one and none has a point. Between commas it could not be told from a separator.
char detect_decimal(const std::vector<Record>& records, char separator) {
  if (separator == ',') return '.';
  bool comma = false;
  for (const Record& record : records)
    for (const std::string& cell : record) {
      const bool has_point = cell.find('.') != std::string::npos;
      const bool has_comma = cell.find(',') != std::string::npos;
      if (has_point && !has_comma && read_number(cell, {})) return '.';
      if (has_point && has_comma && cell.find(',') < cell.find('.') && read_number(cell, {})) return '.';
      if (has_comma && read_number(cell, {.decimal = ','})) comma = true;
    }
  return comma ? ',' : '.';
}

enum class Kind { missing, number, text };

Kind kind_of(const std::string& cell, const CellRules& rules) {
  if (rules.is_missing(cell)) return Kind::missing;
  return rules.number(cell) ? Kind::number : Kind::text;
}

// What all cells below the first have in common; missing when they have nothing.
Kind kind_below(const std::vector<Record>& records, std::size_t column, const CellRules& rules) {
  Kind common = Kind::missing;
  for (std::size_t r = 1; r < records.size(); ++r) {
    if (column >= records[r].size()) continue;
    const Kind kind = kind_of(records[r][column], rules);
    if (kind == Kind::missing) continue;
    if (common != Kind::missing && common != kind) return Kind::missing;
    common = kind;
  }
  return common;
}

// Names are texts, or differ in kind from the cells below them: 2019,2020,y above three columns of numbers.
bool looks_like_header(const std::vector<Record>& records, const CellRules& rules) {
  const Record& first = records.front();
  std::unordered_set<std::string_view> seen;
  bool any_name = false;
  bool any_number = false;
  bool differs = false;
  bool distinct = true;
  for (std::size_t c = 0; c < first.size(); ++c) {
    const Kind kind = kind_of(first[c], rules);
    if (kind == Kind::missing) continue;
    (kind == Kind::number ? any_number : any_name) = true;
    distinct = seen.insert(first[c]).second && distinct;
    const Kind below = kind_below(records, c, rules);
    differs = differs || (below != Kind::missing && below != kind);
  }
  return any_name && (!any_number || (differs && distinct));
}

// Texts above numbers.
bool names_numbers(const std::vector<Record>& records, const CellRules& rules) {
  const Record& first = records.front();
  bool above_numbers = false;
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (kind_of(first[c], rules) != Kind::text) return false;
    above_numbers = above_numbers || kind_below(records, c, rules) == Kind::number;
  }
  return above_numbers;
}

// A header without the sign that makes it a comment for other programs, as numpy.savetxt writes it: "# a b". "#id", and a first
// column "#", keep their names.
Record without_mark(Record cells, const Dialect& dialect) {
  if (dialect.blanks() && cells.front() == "#")
    cells.erase(cells.begin());
  else if (cells.front().starts_with("# "))
    cells.front().erase(0, 2);
  return cells;
}

constexpr std::string_view separators = ",;\t| ";
constexpr std::string_view separators_in_words = "use a comma, a semicolon, a tab, a vertical bar or a blank";

char checked(std::string_view option, char given, std::string_view known, std::string_view remedy) {
  if (known.find(given) != std::string_view::npos) return given;
  throw InvalidOption(option, std::string(1, given), remedy);
}

Dialect dialect_of(const Text& sample, const TextStyle& style) {
  Dialect dialect;
  if (style.quote && *style.quote != '\0')
    dialect.quote = checked("quote", *style.quote, "\"'", "use a double or a single quote, or none");
  else if (style.quote)
    dialect.quote = '\0';
  dialect.separator = style.separator
                          ? checked("separator", *style.separator, separators, separators_in_words)
                          : detect_separator(sample, dialect);
  return dialect;
}

void refuse_other_separators(const Preamble& preamble, const std::string& file) {
  if (preamble.told.lines == 0 || separators.find(preamble.separator) != std::string_view::npos) return;
  throw DataError(
      {file, 1}, fmt::format("'sep={}' names no separator that can be read; {}, or give {}",
                             shown({&preamble.separator, 1}), separators_in_words, option_text("separator")));
}

void check_numbers(const TextStyle& style) {
  if (style.decimal) checked("decimal", *style.decimal, ".,", "use a point or a comma");
  if (style.thousands)
    checked("thousands", *style.thousands, ".,' _", "use a comma, a point, a blank, ' or _");
  if (style.thousands && *style.thousands == style.decimal.value_or('.'))
    throw InvalidOption("thousands", std::string(1, *style.thousands),
                        "is the decimal sign as well; give another " + option_text("decimal"));
}

// Names given by the user, which a file to predict for may have without the targets.
std::vector<std::string> given_names(const ReadOptions& options, std::size_t columns) {
  std::vector<std::string> names = options.style.names;
  if (names.size() != columns)
    std::erase_if(names, [&](const std::string& name) { return contains(options.may_lack, name); });
  if (names.size() == columns) return names;
  throw InvalidOption("names", fmt::format("{} names", options.style.names.size()),
                      fmt::format("the file has {} columns; give one name for each", columns));
}

std::vector<ColumnDeclaration> declared(const Record& cells, bool header, const ReadOptions& options) {
  std::vector<ColumnDeclaration> columns;
  if (!options.style.names.empty()) {
    for (std::string& name : given_names(options, cells.size())) columns.push_back({.name = std::move(name)});
    return columns;
  }
  for (std::size_t c = 0; c < cells.size(); ++c)
    columns.push_back({.name = header && !cells[c].empty() ? cells[c] : fmt::format("column{}", c + 1)});
  return columns;
}

Record hashed_record(const Text& text, const Dialect& dialect) {
  CellReader reader(text, dialect);
  reader.next_record();
  return without_mark(take_record(reader, text.file()), dialect);
}

// How many of the lines with # above the records are comments: up to the last one that has not as many cells, and all where the
// first record is a header itself. "#id,name" above two columns is a header.
std::size_t comments_above(const std::vector<Record>& records, const Preamble& preamble,
                           const std::string& file, const Dialect& dialect, const CellRules& rules) {
  if (names_numbers(records, rules)) return preamble.hashed.size();
  const auto fits = [&](const Preamble::Line& line) {
    const std::size_t width = records.front().size();
    try {
      return hashed_record(Text::piece(file, line.text, line.lines), dialect).size() == width;
    } catch (const DataError&) {
      return false;  // quotes as in no row
    }
  };
  const auto& lines = preamble.hashed;
  return static_cast<std::size_t>(lines.rend() - std::find_if_not(lines.rbegin(), lines.rend(), fits));
}

}  // namespace

TextHead read_csv_head(RecordPieces& pieces, const std::string& file, const ReadOptions& options) {
  TextStyle style = options.style;
  check_numbers(style);
  const std::string_view beginning = pieces.head();
  const Preamble preamble = preamble_of(beginning);
  if (!style.separator) {
    refuse_other_separators(preamble, file);
    if (preamble.told.lines > 0) style.separator = preamble.separator;
  }
  const Text body = Text::piece(file, beginning.substr(preamble.body), 1);
  TextHead head{.dialect = dialect_of(body, style), .columns = {}, .style = options.style};
  std::vector<Record> records = sample_of(body, head.dialect);
  if (!style.decimal && detect_decimal(records, head.dialect.separator) == ',') {
    head.style.decimal = ',';
    head.notices.push_back(fmt::format("{}: numbers are read with a decimal comma ({} changes that)", file,
                                       option_text("decimal", ".")));
  }
  head.dialect.decimal = head.style.decimal.value_or('.');
  const CellRules rules(head.style);
  Preamble::Line skipped = preamble.told;
  bool marked = false;  // the table begins with a #
  if (!preamble.hashed.empty() && !records.empty()) {
    const std::size_t comments = comments_above(records, preamble, file, head.dialect, rules);
    if (comments > 0) {
      skipped = preamble.hashed[comments - 1];
      head.notices.push_back(
          fmt::format("{}: lines with # before the table are skipped: {}", file, comments));
    }
    marked = comments < preamble.hashed.size();
    if (marked) records = sample_of(Text::piece(file, beginning.substr(skipped.end), 1), head.dialect);
  }
  const bool present = style.header == Header::detect ? !records.empty() && looks_like_header(records, rules)
                                                      : style.header == Header::present;
  for (std::size_t line = 0; line < skipped.lines; ++line) pieces.take(1, {.quote = '\0'});
  for (;;) {  // the sample may not reach the end of a long first record
    const std::size_t line = pieces.line();
    const std::string_view record = pieces.take(1, head.dialect);
    if (record.empty()) throw DataError({file}, "the file is empty; a table needs rows");
    const Text text = Text::piece(file, record, line);
    CellReader reader(text, text.begin(), line, head.dialect);
    if (!reader.next_record()) continue;  // a blank line
    Record cells = take_record(reader, file);
    if (present && marked) cells = without_mark(std::move(cells), head.dialect);
    head.columns = declared(cells, present, options);
    if (!present) pieces.put_back();
    refuse_duplicates(head.columns, {file, reader.record_line()});
    return head;
  }
}

}  // namespace strata
