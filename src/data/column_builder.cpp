#include "data/column_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/names.h"
#include "strata/core/option_text.h"
#include "strata/core/suggestion.h"

namespace strata {

ColumnBuilder::ColumnBuilder(const ColumnDeclaration& declared, std::size_t position, const std::string& file,
                             const CellRules& rules)
    : name_(declared.name),
      position_(position),
      file_(&file),
      rules_(&rules),
      index_(declared.categories),
      undeclared_(!declared.type.has_value()),
      inferred_(undeclared_),
      closed_(!declared.categories.empty()),
      verbatim_(declared.verbatim),
      unit_(declared.unit) {
  if (declared.type == ColumnType::nominal) start_nominal(0);
}

void ColumnBuilder::reserve(std::size_t rows) {
  if (nominal_)
    codes_.reserve(rows);
  else
    numbers_.reserve(rows);
}

void ColumnBuilder::begin_second_pass() {
  refuse_stray_text();
  inferred_ = false;
  start_nominal(0);
}

Column ColumnBuilder::finish(const std::vector<std::size_t>& lines) {
  if (!nominal_) {
    refuse_infinite(lines);
    refuse_mixed_units(lines);
    Column column = numeric_column(std::move(name_), std::move(numbers_));
    column.unit = unit_text(unit_.value_or(0));
    return column;
  }
  if (inferred_) refuse_stray_text();
  if (undeclared_) refuse_other_signs();
  if (!closed_) sort_categories();
  return nominal_column(std::move(name_), index_.categories(), std::move(codes_));
}

void ColumnBuilder::start_nominal(std::size_t missing_before) {
  nominal_ = true;
  codes_.reserve(numbers_.capacity());
  codes_.assign(missing_before, Column::missing_code);
  numbers_ = {};
}

void ColumnBuilder::take_slowly(CellReader& reader) {
  const std::size_t line = reader.line();
  const std::string_view cell = reader.take_text();
  if (verbatim_) return codes_.push_back(index_.find_or_add(cell));
  // A list in the file may declare NA itself as a value.
  if (rules_->is_missing(cell) && index_.find(cell) == Column::missing_code) return push_missing();
  if (nominal_) return push_category(cell, line);
  const auto number = rules_->number(cell);
  if (!number) return push_text(cell, line);
  if (number->unit > 0) {
    if (!unit_) unit_ = number->unit;
    if (*unit_ != number->unit)
      throw DataError(at(line),
                      fmt::format("'{}' is a number with '{}', and the other numbers of column '{}' have {}; "
                                  "write all of them in the same way",
                                  shown(cell), unit_text(number->unit), name_,
                                  *unit_ == 0 ? "none" : fmt::format("'{}'", unit_text(*unit_))));
    rows_with_unit_.push_back(numbers_.size());
  }
  push_number(number->value);
}

void ColumnBuilder::push_missing() {
  if (nominal_)
    codes_.push_back(Column::missing_code);
  else
    numbers_.push_back(Column::missing_number);
}

void ColumnBuilder::push_category(std::string_view cell, std::size_t line) {
  if (inferred_) survey_.count(cell, line, *rules_);
  const std::int32_t code = closed_ ? index_.find(cell) : index_.find_or_add(cell);
  if (code == Column::missing_code)
    throw DataError(at(line), fmt::format("'{}' is not among the declared values of '{}'{}", shown(cell),
                                          name_, suggestion(cell, index_.categories())));
  codes_.push_back(code);
}

void ColumnBuilder::push_text(std::string_view cell, std::size_t line) {
  if (!inferred_)
    throw DataError(
        at(line), fmt::format("'{}' is not a number, and column '{}' is numeric; correct the value, or give "
                              "it as a marker of missing values by {}",
                              shown(cell), name_, option_text("na", shown(cell))));
  if (survey_.texts == 0 && only_missing_so_far()) {
    start_nominal(numbers_.size());
    return push_category(cell, line);
  }
  survey_.count(cell, line, *rules_);
  numbers_.push_back(Column::missing_number);
}

bool ColumnBuilder::only_missing_so_far() const {
  return std::all_of(numbers_.begin(), numbers_.end(), [](double value) { return std::isnan(value); });
}

std::size_t ColumnBuilder::number_count() const {
  return static_cast<std::size_t>(
      std::count_if(numbers_.begin(), numbers_.end(), [](double value) { return !std::isnan(value); }));
}

void ColumnBuilder::refuse_stray_text() const {
  const std::size_t numbers = nominal_ ? survey_.numbers : number_count();
  survey_.refuse_if_stray(numbers, survey_.texts, *file_, position_, name_);
}

void ColumnBuilder::refuse_infinite(const std::vector<std::size_t>& lines) const {
  const auto bad =
      std::find_if(numbers_.begin(), numbers_.end(), [](double value) { return std::isinf(value); });
  if (bad == numbers_.end()) return;
  throw DataError(
      at(lines[static_cast<std::size_t>(bad - numbers_.begin())]),
      fmt::format("a number in column '{}' is infinite or too large for a double; correct it or leave "
                  "the cell empty",
                  name_));
}

// 5% and 0.05 in one column would be a hundredfold apart.
void ColumnBuilder::refuse_mixed_units(const std::vector<std::size_t>& lines) const {
  if (unit_.value_or(0) == 0 || rows_with_unit_.size() == number_count()) return;
  auto next = rows_with_unit_.begin();
  for (std::size_t row = 0; row < numbers_.size(); ++row) {
    if (next != rows_with_unit_.end() && *next == row) {
      ++next;
    } else if (!std::isnan(numbers_[row])) {
      throw DataError(at(lines[row]),
                      fmt::format("a number stands without the '{}' that other numbers of column '{}' have; "
                                  "write all of them in the same way",
                                  unit_text(*unit_), name_));
    }
  }
}

// Numbers such as 3,14 or 12'000 must not become categories.
void ColumnBuilder::refuse_other_signs() const {
  const char decimal = rules_->numbers().decimal;
  const char other = decimal == '.' ? ',' : '.';
  const std::vector<std::string>& texts = index_.categories();
  const auto are_numbers = [&](NumberStyle style) {
    return !texts.empty() && std::ranges::all_of(texts, [&](const std::string& text) {
      return read_number(text, style).has_value();
    });
  };
  const auto refuse = [&](std::string_view sign, const std::string& remedy) {
    throw DataError(at(survey_.first_text_line),
                    fmt::format("'{}' in column '{}' looks like a number with {}; give {}, or take the "
                                "column as categories by {}",
                                survey_.first_text, name_, sign, remedy, option_text("categorical", name_)));
  };
  if (are_numbers({.decimal = other}))
    refuse(other == ',' ? "a decimal comma" : "a decimal point",
           option_text("decimal", std::string(1, other)));
  for (const char sign : {'\'', ' ', '_'})
    if (are_numbers({.decimal = decimal, .thousands = sign}))
      refuse("groups of digits", option_text("thousands", std::string(1, sign)));
}

// Categories found in the cells are sorted: the coding must not depend on the order of the rows.
void ColumnBuilder::sort_categories() {
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

}  // namespace strata
