#include "data/parsed_piece.h"

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

// Rows whose bytes stay in the first-level cache while their cells are read column by column.
constexpr std::size_t rows_of_a_block = 64;

}  // namespace

void ParsedPiece::parse(const Text& text, const PieceFacts& facts, const Dialect& dialect,
                        const std::vector<CellKind>& kinds, const CellRules& rules) {
  text_ = &text;
  first_line_ = facts.line;
  dialect_ = dialect;
  kinds_ = kinds;
  columns_.resize(kinds.size());
  for (Cells& column : columns_) {
    column.numbers.clear();
    column.codes.clear();
    column.texts.clear();
  }
  lines_.clear();
  copies_.clear();
  try {
    plain_ = grid_.find(text, facts, dialect, kinds.size()) ? parse_grid(rules) : parse_records(rules);
    for (Cells& column : columns_) column.texts.count();
  } catch (const DataError&) {  // which the builder will find again, in its order
    plain_ = false;
  }
}

bool ParsedPiece::parse_grid(const CellRules& rules) {
  for (std::size_t row = 0; row < grid_.rows(); row += rows_of_a_block) {
    const std::size_t end = std::min(row + rows_of_a_block, grid_.rows());
    for (std::size_t c = 0; c < kinds_.size(); ++c) {
      if (kinds_[c] == CellKind::numbers && !parse_numbers(c, row, end, rules)) return false;
      if (kinds_[c] == CellKind::texts && !parse_texts(c, row, end)) return false;
    }
  }
  lines_.resize(grid_.rows());
  std::iota(lines_.begin(), lines_.end(), first_line_);
  return true;
}

bool ParsedPiece::parse_numbers(std::size_t c, std::size_t begin, std::size_t end, const CellRules& rules) {
  for (std::size_t row = begin; row < end; ++row) {
    const std::string_view cell = grid_.cell(row, c);
    const char* from = cell.data();
    while (*from == ' ') ++from;
    double value = Column::missing_number;
    if (read_decimal(from, dialect_.decimal, value) == cell.data() + cell.size()) {
      if (rules.is_missing(value)) value = Column::missing_number;
    } else if (!cell.empty()) {
      CellReader reader(*text_, cell.data(), first_line_ + row, dialect_);
      if (!parse_number(reader, rules, value)) return false;
    }
    columns_[c].numbers.push_back(value);
  }
  return true;
}

bool ParsedPiece::parse_texts(std::size_t c, std::size_t begin, std::size_t end) {
  Cells& cells = columns_[c];
  const auto is_blank = [separator = dialect_.separator](char at) {
    return (at == ' ' || at == '\t') && at != separator;
  };
  for (std::size_t row = begin; row < end; ++row) {
    std::string_view cell = grid_.cell(row, c);
    if (cell.size() > CellReader::longest_cell) return false;
    while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
    while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
    cells.codes.push_back(cells.texts.find_or_add(cell, first_line_ + row));
  }
  return true;
}

std::string_view ParsedPiece::lasting(std::string_view cell) {
  if (cell.empty() || (cell.data() >= text_->begin() && cell.data() < text_->end())) return cell;
  return std::string_view(copies_.emplace_back(cell).append(8, ' ')).substr(0, cell.size());
}

// A missing one is NaN. False for a text, and for a number with a unit.
bool ParsedPiece::parse_number(CellReader& reader, const CellRules& rules, double& value) {
  if (!reader.take_number(value)) {
    const std::string_view cell = reader.take_text();
    if (rules.is_missing(cell)) {
      value = Column::missing_number;
      return true;
    }
    const auto number = rules.number(cell);
    if (!number || number->unit > 0) return false;
    value = number->value;
  }
  if (rules.is_missing(value)) value = Column::missing_number;
  return true;
}

bool ParsedPiece::parse_records(const CellRules& rules) {
  CellReader reader(*text_, text_->begin(), first_line_, dialect_);
  while (reader.next_record()) {
    if (!parse_record(reader, rules)) return false;
    lines_.push_back(reader.record_line());
  }
  return true;
}

bool ParsedPiece::parse_record(CellReader& reader, const CellRules& rules) {
  for (std::size_t c = 0; c < kinds_.size(); ++c) {
    if (!reader.has_cell()) return false;
    Cells& cells = columns_[c];
    if (kinds_[c] == CellKind::numbers) {
      double value = 0;
      if (!parse_number(reader, rules, value)) return false;
      cells.numbers.push_back(value);
    } else if (kinds_[c] == CellKind::texts) {
      const std::size_t line = reader.line();
      cells.codes.push_back(cells.texts.find_or_add(lasting(reader.take_text()), line));
    } else {
      reader.take_text();
    }
  }
  return !reader.has_cell();
}

}  // namespace strata
