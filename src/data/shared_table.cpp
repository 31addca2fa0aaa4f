#include "strata/data/shared_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>

#include "data/decode.h"
#include "data/formats.h"
#include "data/record_ends.h"
#include "data/source.h"
#include "data/table_builder.h"
#include "data/text_head.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

using Place = RecordEnds::Place;
constexpr std::size_t none = std::string_view::npos;

std::string read_range(std::istream& in, const std::string& file, std::size_t begin, std::size_t end) {
  std::string bytes(end - begin, '\0');
  in.clear();
  in.seekg(static_cast<std::streamoff>(begin));
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::size_t>(in.gcount()) != bytes.size())
    throw DataError({file}, "the file cannot be read, or changed meanwhile; check the disk");
  return bytes;
}

// What a range of bytes means depends on where a row stands when it begins, inside a quoted text or not. A process that
// sees its own range alone answers for each case; together the answers tell which case it is.
struct RangeView {
  struct Case {
    Place end = Place::record_start;
    std::size_t first_row = none;  // in the file, of the first row that begins in the range
  };
  std::array<Case, RecordEnds::places_of_csv> cases{};
  std::size_t lines = 0;
};

RangeView look_at(std::string_view bytes, std::size_t begin, const Dialect& dialect) {
  RangeView view;
  view.lines = static_cast<std::size_t>(std::ranges::count(bytes, '\n'));
  for (std::size_t p = 0; p < RecordEnds::places_of_csv; ++p) {
    RecordEnds ends(dialect, static_cast<Place>(p));
    const std::size_t first = ends.next(bytes, 0);
    RangeView::Case& found = view.cases[p];
    if (first != none) {
      found.first_row = begin + first;
      const auto same = std::find_if(view.cases.begin(), view.cases.begin() + static_cast<std::ptrdiff_t>(p),
                                     [&](const auto& other) { return other.first_row == found.first_row; });
      if (same != view.cases.begin() + static_cast<std::ptrdiff_t>(p)) {  // from there on they are one
        found.end = same->end;
        continue;
      }
      for (std::size_t at = first; at != none;) at = ends.next(bytes, at);
    }
    found.end = ends.place();
  }
  return view;
}

// The rows of one process, as bytes of the file.
struct OwnRows {
  std::string bytes;
  std::size_t line = 1;
};

OwnRows find_own_rows(std::istream& in, const std::string& file, std::size_t body, std::size_t body_line,
                      std::size_t size, const Dialect& dialect, Communicator& processes) {
  const auto cut = [&](std::size_t p) {  // one byte early: a row begins after the line end before it
    return p == 0 ? body : std::max(body, body + p * (size - body) / processes.size() - 1);
  };
  const std::size_t me = processes.rank();
  std::string bytes = read_range(in, file, cut(me), me + 1 == processes.size() ? size : cut(me + 1));
  const std::vector<RangeView> views = all_gather(processes, look_at(bytes, cut(me), dialect));

  std::vector<std::size_t> first(processes.size() + 1, size);  // row of each process, and the end
  std::vector<std::size_t> lines(processes.size() + 1, body_line);
  Place place = Place::record_start;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const RangeView::Case& found = views[p].cases[static_cast<std::size_t>(place)];
    first[p] = p == 0 ? body : found.first_row;
    lines[p + 1] = lines[p] + views[p].lines;
    place = found.end;
  }
  for (std::size_t p = processes.size(); p-- > 0;) first[p] = std::min(first[p], first[p + 1]);

  const std::size_t skipped = std::min(first[me] - cut(me), bytes.size());
  OwnRows own;
  own.line = lines[me] + static_cast<std::size_t>(std::count(
                             bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(skipped), '\n'));
  const std::size_t end = first[me + 1];
  if (first[me] >= end) return own;
  bytes.erase(0, skipped);
  bytes.resize(std::min(bytes.size(), end - first[me]));
  const std::size_t have = first[me] + bytes.size();
  if (have < end) bytes += read_range(in, file, have, end);  // the last row goes on in the next range
  own.bytes = std::move(bytes);
  return own;
}

// A column is numeric if it is at every process.
void agree_on_types(const Text& text, const CellReader& reader, std::vector<ColumnDeclaration>& columns,
                    const CellRules& rules, Communicator& processes) {
  const std::vector<ColumnSurvey> own = survey(text, reader, columns, rules);
  struct Counts {
    std::size_t numbers;
    std::size_t texts;
    Unit unit;
  };
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].type == ColumnType::nominal) continue;
    Counts all{};
    std::optional<std::size_t> first;  // process that met a text
    const auto counts = all_gather(processes, Counts{own[c].numbers, own[c].texts, own[c].unit});
    for (std::size_t p = 0; p < counts.size(); ++p) {
      all.numbers += counts[p].numbers;
      all.texts += counts[p].texts;
      if (all.unit == 0) all.unit = counts[p].unit;
      if (counts[p].texts > 0 && !first) first = p;
    }
    if (!columns[c].unit) columns[c].unit = all.unit;
    if (columns[c].type) continue;
    if (first == processes.rank())
      own[c].refuse_if_stray(all.numbers, all.texts, text.file(), c, columns[c].name);
    columns[c].type = all.texts > 0 ? ColumnType::nominal : ColumnType::numeric;
  }
}

// The list that every process has, in the order of processes.
std::vector<std::vector<std::string>> gather_texts(const std::vector<std::string>& own,
                                                   Communicator& processes) {
  std::vector<char> joined;
  for (const std::string& text : own) {
    joined.insert(joined.end(), text.begin(), text.end());
    joined.push_back('\0');  // occurs in no text
  }
  std::vector<std::vector<std::string>> lists;
  for (const auto& part : all_to_all(processes, std::vector(processes.size(), joined))) {
    auto& list = lists.emplace_back();
    for (auto from = part.begin(); from != part.end();) {
      const auto end = std::find(from, part.end(), '\0');
      list.emplace_back(from, end);
      from = end + 1;
    }
  }
  return lists;
}

// The categories that any process met, sorted as those of one process are, and the codes to match.
void agree_on_categories(Column& column, Communicator& processes) {
  const auto lists = gather_texts(column.categories, processes);
  std::vector<std::string> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const CategoryIndex index(all);
  for (std::int32_t& code : column.codes)
    if (code != Column::missing_code) code = index.find(column.categories[static_cast<std::size_t>(code)]);
  column.categories = std::move(all);
}

// A Table or NumericRows.
template <class Rows>
Rows numbered(Rows own, Communicator& processes) {
  const std::vector<std::size_t> rows = all_gather(processes, own.rows());
  const auto me = rows.begin() + static_cast<std::ptrdiff_t>(processes.rank());
  own.first_row = std::accumulate(rows.begin(), me, std::size_t{0});
  own.shared_rows = std::accumulate(rows.begin(), rows.end(), std::size_t{0});
  return own;
}

// In memory a column without any value is one of numbers, even among texts at other processes.
void agree_on_type(Column& column, const std::string& table, Communicator& processes) {
  const bool texts = column.type == ColumnType::nominal;
  const bool numbers = !texts && !std::ranges::all_of(column.numbers, [](double v) { return std::isnan(v); });
  const bool any_texts = sum_over(processes, texts ? 1 : 0) > 0;
  const bool any_numbers = sum_over(processes, numbers ? 1 : 0) > 0;
  if (any_texts && any_numbers)
    throw DataError({table}, fmt::format("column '{}' holds texts at one process and numbers at another; "
                                         "convert them to one kind",
                                         column.name));
  if (texts || !any_texts) return;
  column.type = ColumnType::nominal;
  column.codes = std::vector(column.numbers.size(), Column::missing_code);
  column.numbers = {};
}

Table keep_own_rows(const Table& whole, Communicator& processes) {
  const std::size_t begin = processes.rank() * whole.rows() / processes.size();
  const std::size_t end = (processes.rank() + 1) * whole.rows() / processes.size();
  std::vector<std::size_t> rows(end - begin);
  std::iota(rows.begin(), rows.end(), begin);
  Table own = take_rows(whole, rows);
  own.first_row = begin;
  own.shared_rows = whole.rows();
  return own;
}

// Text that can be entered anywhere: not compressed, in UTF-8, and with line feeds, which old Macintosh programs did not
// write.
bool can_be_cut(const std::filesystem::path& path, Encoding encoding) {
  if (!is_csv(path)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string start(std::size_t{1} << 20U, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  return !start.starts_with("\x1f\x8b") && start.find('\n') != std::string::npos &&
         Decoder(encoding, start).encoding() == Encoding::utf8;
}

// Bytes before the first row, and what they say.
struct SharedHead {
  TextHead head;
  std::size_t bytes;
  std::size_t line;
};

SharedHead read_shared_head(const std::filesystem::path& path, const ReadOptions& options) {
  RecordPieces pieces(file_source(path, false).open(), path.string(), Encoding::utf8);
  TextHead head = read_csv_head(pieces, path.string(), options);
  apply_lists(options, path.string(), head.columns);
  return {std::move(head), pieces.consumed(), pieces.line()};
}

void refuse_other_encoding(const std::string& file, const OwnRows& own) {
  std::string text;
  Decoder decoder(Encoding::utf8, {});
  if (decoder.append(own.bytes, true, text)) return;
  throw wrong_encoding(file, own.line + static_cast<std::size_t>(std::ranges::count(text, '\n')),
                       Encoding::utf8);
}

}  // namespace

Table read_shared_table(const std::filesystem::path& path, const ReadOptions& options,
                        Communicator& processes) {
  if (processes.alone()) return read_table(path, options);
  if (!std::filesystem::is_regular_file(path))
    throw DataError({path.string()},
                    "it is no file; processes that share its rows each open it, so give the name of a file");
  if (!can_be_cut(path, options.style.encoding)) return keep_own_rows(read_table(path, options), processes);

  const std::string file = path.string();
  std::ifstream in(path, std::ios::binary);
  auto [head, bytes_before, line] = read_shared_head(path, options);
  const OwnRows own =
      find_own_rows(in, file, bytes_before, line, std::filesystem::file_size(path), head.dialect, processes);
  refuse_other_encoding(file, own);
  const Text text = Text::piece(file, own.bytes, own.line);
  const CellReader reader(text, text.begin(), own.line, head.dialect);
  const CellRules rules(head.style);
  agree_on_types(text, reader, head.columns, rules, processes);
  Table shared = numbered(read_piece(text, reader, head.columns, rules), processes);
  shared.style = head.style;
  shared.notices = head.notices;
  if (shared.shared_rows == 0) throw DataError({file}, "there is a header but no row; a table needs rows");
  for (Column& column : shared.columns)
    if (column.type == ColumnType::nominal) agree_on_categories(column, processes);
  return shared;
}

Table share_table(Table own, Communicator& processes) {
  for (const std::size_t columns : all_gather(processes, own.columns.size()))
    if (columns != own.columns.size())
      throw DataError({own.file}, fmt::format("it has {} columns here and {} at another process; give all "
                                              "processes the same columns",
                                              own.columns.size(), columns));
  for (Column& column : own.columns) {
    agree_on_type(column, own.file, processes);
    if (column.type != ColumnType::nominal) continue;
    const auto lists = gather_texts(column.categories, processes);
    if (std::ranges::adjacent_find(lists, std::ranges::not_equal_to{}) != lists.end())
      agree_on_categories(column, processes);
  }
  return numbered(std::move(own), processes);
}

NumericRows share_numbers(NumericRows own, Communicator& processes) {
  return numbered(std::move(own), processes);
}

}  // namespace strata
