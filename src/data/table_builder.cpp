#include "data/table_builder.h"

#include <algorithm>

namespace strata {

TableBuilder::TableBuilder(const std::vector<ColumnDeclaration>& declared, std::string file,
                           const CellRules& rules)
    : file_(std::move(file)), builders_(declared.size()) {
  for (std::size_t c = 0; c < declared.size(); ++c)
    if (!declared[c].skip) builders_[c].emplace(declared[c], c, file_, rules);
}

void TableBuilder::reserve(std::size_t rows) {
  lines_.reserve(rows);
  for (auto& builder : builders_)
    if (builder) builder->reserve(rows);
}

void TableBuilder::take(const Text& text, CellReader reader) {
  while (reader.next_record()) {
    for (std::size_t c = 0; c < builders_.size(); ++c) {
      if (!reader.has_cell()) refuse_ragged(text, reader, c, builders_.size());
      if (builders_[c])
        builders_[c]->take(reader);
      else
        reader.take_text();
    }
    if (reader.has_cell()) refuse_ragged(text, reader, builders_.size(), builders_.size());
    lines_.push_back(reader.record_line());
  }
}

std::vector<CellKind> TableBuilder::kinds() const {
  std::vector<CellKind> kinds;
  for (const auto& builder : builders_) kinds.push_back(builder ? builder->kind() : CellKind::skipped);
  return kinds;
}

bool TableBuilder::take(const ParsedPiece& piece) {
  if (!piece.plain() || piece.kinds() != kinds()) return false;
  for (std::size_t c = 0; c < builders_.size(); ++c)
    if (builders_[c] && !builders_[c]->fits(piece.column(c))) return false;
  for (std::size_t c = 0; c < builders_.size(); ++c)
    if (builders_[c]) builders_[c]->append(piece.column(c));
  lines_.insert(lines_.end(), piece.lines().begin(), piece.lines().end());
  return true;
}

bool TableBuilder::needs_second_pass() const {
  return std::ranges::any_of(builders_,
                             [](const auto& builder) { return builder && builder->needs_second_pass(); });
}

std::vector<std::size_t> TableBuilder::late_columns() const {
  std::vector<std::size_t> late;
  for (std::size_t c = 0; c < builders_.size(); ++c)
    if (builders_[c] && builders_[c]->needs_second_pass()) late.push_back(c);
  return late;
}

void TableBuilder::begin_second_pass() {
  late_.assign(builders_.size(), false);
  for (const std::size_t c : late_columns()) {
    late_[c] = true;
    builders_[c]->begin_second_pass();
  }
}

void TableBuilder::take_again(CellReader reader) {
  while (reader.next_record())
    for (std::size_t c = 0; c < builders_.size(); ++c) {
      if (late_[c])
        builders_[c]->take(reader);
      else
        reader.take_text();
    }
}

std::size_t TableBuilder::bytes() const {
  std::size_t per_row = sizeof(std::size_t);  // its line
  for (const auto& builder : builders_)
    if (builder) per_row += builder->bytes_per_row();
  return per_row * rows();
}

Table TableBuilder::finish() {
  Table table{.file = file_};
  for (std::size_t c = 0; c < builders_.size(); ++c) {
    if (!builders_[c]) continue;
    table.columns.push_back(builders_[c]->finish(lines_));
    table.columns.back().position = c + 1;
  }
  table.lines = std::move(lines_);
  return table;
}

std::vector<Column> TableBuilder::hand_over() {
  std::vector<Column> columns;
  for (auto& builder : builders_)
    if (builder) columns.push_back(builder->hand_over(lines_));
  lines_.clear();
  return columns;
}

std::vector<GroupedColumn> TableBuilder::finish_groups() {
  std::vector<GroupedColumn> columns;
  for (auto& builder : builders_)
    if (builder) columns.push_back(builder->finish_groups());
  return columns;
}

Table read_piece(const Text& text, const CellReader& reader, const std::vector<ColumnDeclaration>& declared,
                 const CellRules& rules) {
  TableBuilder builder(declared, text.file(), rules);
  builder.reserve(static_cast<std::size_t>(std::count(reader.position(), text.end(), '\n')) + 1);
  builder.take(text, reader);
  if (builder.needs_second_pass()) {
    builder.begin_second_pass();
    builder.take_again(reader);
  }
  return builder.finish();
}

}  // namespace strata
