#include "data/columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/names.h"
#include "strata/core/suggestion.h"

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

void ColumnSurvey::count(std::string_view cell, std::size_t line) {
  double value = 0;
  if (parse_number(cell, value)) {
    ++numbers;
    return;
  }
  if (texts == 0) {
    first_text = shown(cell);
    first_text_line = line;
  }
  ++texts;
}

void ColumnSurvey::refuse_if_stray(std::size_t all_numbers, std::size_t all_texts, const std::string& file,
                                   std::size_t position, std::string_view name) const {
  if (all_texts * 20 >= all_numbers + all_texts) return;
  throw DataError(
      {file, first_text_line, position + 1},
      fmt::format("'{}' is not a number, and column '{}' otherwise holds numbers; correct the value "
                  "or declare the column nominal",
                  first_text, name));
}

// A column while it is being read. An undeclared one starts as numbers; the first text makes it nominal at
// once when nothing but missing cells came before, and otherwise after the first pass, by reading its cells again.
class ColumnBuilder {
 public:
  ColumnBuilder(const ColumnDeclaration& declared, std::size_t position, const std::string& file,
                std::size_t rows)
      : name_(declared.name),
        position_(position),
        file_(&file),
        expected_rows_(rows),
        index_(declared.categories) {
    inferred_ = !declared.type.has_value();
    closed_ = !declared.categories.empty();
    if (declared.type == ColumnType::nominal)
      start_nominal(0);
    else
      numbers_.reserve(rows);
  }

  void take(CellReader& reader) {
    double value = 0;
    if (!nominal_ && reader.take_number(value))
      numbers_.push_back(value);
    else
      take_slowly(reader);
  }

  [[nodiscard]] bool needs_second_pass() const { return inferred_ && !nominal_ && survey_.texts > 0; }

  // In the first pass numbers stand where texts were; now every cell is read as text.
  void begin_second_pass() {
    refuse_stray_text();
    inferred_ = false;
    start_nominal(0);
  }

  Column finish(const std::vector<std::size_t>& lines) {
    if (!nominal_) {
      refuse_infinite(lines);
      return numeric_column(std::move(name_), std::move(numbers_));
    }
    if (inferred_) refuse_stray_text();
    if (!closed_) sort_categories();
    return nominal_column(std::move(name_), index_.categories(), std::move(codes_));
  }

 private:
  void start_nominal(std::size_t missing_before) {
    nominal_ = true;
    codes_.reserve(expected_rows_);
    codes_.assign(missing_before, Column::missing_code);
    numbers_ = {};
  }

  void take_slowly(CellReader& reader) {
    const std::size_t line = reader.line();
    const std::string_view cell = reader.take_text();
    // A list in the file may declare NA itself as a value.
    if (is_missing_token(cell) && index_.find(cell) == Column::missing_code) return push_missing();
    if (nominal_) return push_category(cell, line);
    double value = 0;
    if (parse_number(cell, value)) return numbers_.push_back(value);
    push_text(cell, line);
  }

  void push_missing() {
    if (nominal_)
      codes_.push_back(Column::missing_code);
    else
      numbers_.push_back(Column::missing_number);
  }

  void push_category(std::string_view cell, std::size_t line) {
    if (inferred_) survey_.count(cell, line);
    const std::int32_t code = closed_ ? index_.find(cell) : index_.find_or_add(cell);
    if (code == Column::missing_code)
      throw DataError(at(line), fmt::format("'{}' is not among the declared values of '{}'{}", shown(cell),
                                            name_, suggestion(cell, index_.categories())));
    codes_.push_back(code);
  }

  void push_text(std::string_view cell, std::size_t line) {
    if (!inferred_)
      throw DataError(at(line),
                      fmt::format("'{}' is not a number, and column '{}' is numeric; correct the value "
                                  "or declare the column nominal",
                                  shown(cell), name_));
    if (survey_.texts == 0 && only_missing_so_far()) {
      start_nominal(numbers_.size());
      return push_category(cell, line);
    }
    survey_.count(cell, line);
    numbers_.push_back(Column::missing_number);
  }

  [[nodiscard]] bool only_missing_so_far() const {
    return std::all_of(numbers_.begin(), numbers_.end(), [](double value) { return std::isnan(value); });
  }

  void refuse_stray_text() const {
    const std::size_t numbers =
        nominal_ ? survey_.numbers
                 : static_cast<std::size_t>(std::count_if(numbers_.begin(), numbers_.end(),
                                                          [](double value) { return !std::isnan(value); }));
    survey_.refuse_if_stray(numbers, survey_.texts, *file_, position_, name_);
  }

  void refuse_infinite(const std::vector<std::size_t>& lines) const {
    const auto bad =
        std::find_if(numbers_.begin(), numbers_.end(), [](double value) { return std::isinf(value); });
    if (bad == numbers_.end()) return;
    throw DataError(
        at(lines[static_cast<std::size_t>(bad - numbers_.begin())]),
        fmt::format("a number in column '{}' is infinite or too large for a double; correct it or leave "
                    "the cell empty",
                    name_));
  }

  // Categories found in the cells are sorted: the coding must not depend on the order of the rows.
  void sort_categories() {
    const std::vector<std::string>& found = index_.categories();
    std::vector<std::size_t> order(found.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return found[a] < found[b]; });
    std::vector<std::string> sorted;
    std::vector<std::int32_t> rank(found.size());
    for (const std::size_t old : order) {
      rank[old] = static_cast<std::int32_t>(sorted.size());
      sorted.push_back(found[old]);
    }
    for (std::int32_t& code : codes_)
      if (code != Column::missing_code) code = rank[static_cast<std::size_t>(code)];
    index_ = CategoryIndex(sorted);
  }

  [[nodiscard]] Location at(std::size_t line) const { return {*file_, line, position_ + 1}; }

  std::string name_;
  std::size_t position_;
  const std::string* file_;
  std::size_t expected_rows_;
  CategoryIndex index_;
  bool inferred_ = false;
  bool closed_ = false;
  bool nominal_ = false;
  std::vector<double> numbers_;
  std::vector<std::int32_t> codes_;
  ColumnSurvey survey_;  // of texts and, once the column is nominal, numbers
};

using Builders = std::vector<std::optional<ColumnBuilder>>;  // none for a column that is skipped

namespace {

[[noreturn]] void refuse_ragged(const Text& text, CellReader reader, std::size_t taken,
                                std::size_t expected) {
  for (; reader.has_cell(); ++taken) reader.take_text();
  throw DataError(
      {text.file(), reader.record_line()},
      fmt::format("the row has {} cell{} where the table has {} columns; add or remove cells, or quote "
                  "text that contains the separator",
                  taken, taken == 1 ? "" : "s", expected));
}

Builders builders_for(const std::vector<ColumnDeclaration>& declared, const std::string& file,
                      std::size_t rows) {
  Builders builders(declared.size());
  for (std::size_t c = 0; c < declared.size(); ++c)
    if (!declared[c].skip) builders[c].emplace(declared[c], c, file, rows);
  return builders;
}

}  // namespace

struct TableBuilder::State {
  std::string file;
  Builders builders;
  std::vector<std::size_t> lines;
  std::vector<ColumnBuilder*> late;  // columns that turned out to be text after they had begun with numbers
};

TableBuilder::TableBuilder(const std::string& file, const std::vector<ColumnDeclaration>& declared,
                           std::size_t expected_rows)
    : state_(std::make_unique<State>()) {
  state_->file = file;
  state_->builders = builders_for(declared, state_->file, expected_rows);
  state_->lines.reserve(expected_rows);
}

TableBuilder::~TableBuilder() = default;

void TableBuilder::read(const Text& text, CellReader reader) {
  Builders& builders = state_->builders;
  while (reader.next_record()) {
    for (std::size_t c = 0; c < builders.size(); ++c) {
      if (!reader.has_cell()) refuse_ragged(text, reader, c, builders.size());
      if (builders[c])
        builders[c]->take(reader);
      else
        reader.take_text();
    }
    if (reader.has_cell()) refuse_ragged(text, reader, builders.size(), builders.size());
    state_->lines.push_back(reader.record_line());
  }
}

bool TableBuilder::begin_second_pass() {
  bool any = false;
  for (auto& builder : state_->builders) {
    state_->late.push_back(builder && builder->needs_second_pass() ? &*builder : nullptr);
    if (state_->late.back() == nullptr) continue;
    builder->begin_second_pass();
    any = true;
  }
  return any;
}

void TableBuilder::read_again(CellReader reader) {
  while (reader.next_record())
    for (ColumnBuilder* builder : state_->late) {
      if (builder == nullptr)
        reader.take_text();
      else
        builder->take(reader);
    }
}

Table TableBuilder::finish() {
  Table table{.file = state_->file, .lines = std::move(state_->lines)};
  for (std::size_t c = 0; c < state_->builders.size(); ++c) {
    if (!state_->builders[c]) continue;
    table.columns.push_back(state_->builders[c]->finish(table.lines));
    table.columns.back().position = c + 1;
  }
  return table;
}

Table read_piece(const Text& text, const CellReader& start, const std::vector<ColumnDeclaration>& declared) {
  const auto most_rows = static_cast<std::size_t>(std::count(start.position(), text.end(), '\n')) + 1;
  TableBuilder table(text.file(), declared, most_rows);
  table.read(text, start);
  if (table.begin_second_pass()) table.read_again(start);
  return table.finish();
}

std::vector<ColumnSurvey> survey(const Text& text, CellReader reader,
                                 const std::vector<ColumnDeclaration>& columns) {
  std::vector<ColumnSurvey> surveys(columns.size());
  while (reader.next_record())
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!reader.has_cell()) refuse_ragged(text, reader, c, columns.size());
      double value = 0;
      const std::size_t line = reader.line();
      if (reader.take_number(value)) {
        surveys[c].numbers += std::isnan(value) ? 0 : 1;
        continue;
      }
      const std::string_view cell = reader.take_text();
      if (!is_missing_token(cell)) surveys[c].count(cell, line);
    }
  return surveys;
}

Table read_columns(const Text& text, const CellReader& start,
                   const std::vector<ColumnDeclaration>& declared) {
  Table table = read_piece(text, start, declared);
  if (table.lines.empty()) throw DataError({text.file()}, "there is a header but no row; a table needs rows");
  return table;
}

}  // namespace strata
