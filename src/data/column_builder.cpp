#include "data/column_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

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
  if (declared.type == ColumnType::nominal || declared.holds_text) start_nominal(0);
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
  look_for_faults(lines);
  refuse_faults();
  if (!nominal_) {
    Column column = numeric_column(std::move(name_), std::move(numbers_));
    column.unit = unit_text(unit_.value_or(0));
    return column;
  }
  std::vector<std::string> categories = index_.take_categories();
  if (!closed_) {
    const std::vector<std::int32_t> rank = sort_categories(categories);
    for (std::int32_t& code : codes_)
      if (code != Column::missing_code) code = rank[static_cast<std::size_t>(code)];
  }
  return nominal_column(std::move(name_), std::move(categories), std::move(codes_));
}

Column ColumnBuilder::hand_over(const std::vector<std::size_t>& lines) {
  look_for_faults(lines);
  given_ = true;
  rows_with_unit_.clear();
  if (!nominal_) {
    const std::size_t before = numbers_given_;
    numbers_given_ = number_count();
    values_given_ += numbers_given_ - before;
    return numeric_column(name_, std::exchange(numbers_, {}));
  }
  values_given_ += codes_.size() - static_cast<std::size_t>(std::ranges::count(codes_, Column::missing_code));
  return nominal_column(name_, {}, std::exchange(codes_, {}));
}

GroupedColumn ColumnBuilder::finish_groups() {
  refuse_faults();
  GroupedColumn grouped{.column = {.name = std::move(name_)}, .declared = closed_, .values = values_given_};
  if (nominal_) {
    grouped.column.type = ColumnType::nominal;
    grouped.column.categories = index_.take_categories();
  } else {
    grouped.column.unit = unit_text(unit_.value_or(0));
  }
  return grouped;
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
  if (stands_for_missing(cell)) return push_missing();
  if (verbatim_) return codes_.push_back(index_.find_or_add(cell));
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

bool ColumnBuilder::fits(const ParsedPiece::Cells& cells) const {
  if (!closed_) return true;
  return std::ranges::all_of(cells.texts.entries(), [&](const PieceTexts::Entry& entry) {
    return index_.find(entry.text) != Column::missing_code || stands_for_missing(entry.text);
  });
}

void ColumnBuilder::append(const ParsedPiece::Cells& cells) {
  numbers_.insert(numbers_.end(), cells.numbers.begin(), cells.numbers.end());
  std::vector<std::int32_t> codes;
  for (const PieceTexts::Entry& entry : cells.texts.entries()) {
    std::int32_t code = index_.find(entry.text);
    const bool missing = code == Column::missing_code && stands_for_missing(entry.text);
    if (!missing && inferred_) survey_.count(entry.text, entry.line, *rules_, entry.count);
    if (!missing && code == Column::missing_code) code = index_.find_or_add(entry.text);
    codes.push_back(code);
  }
  const std::size_t before = codes_.size();
  codes_.resize(before + cells.codes.size());
  std::ranges::transform(cells.codes, codes_.begin() + static_cast<std::ptrdiff_t>(before),
                         [&](std::int32_t code) { return codes[static_cast<std::size_t>(code)]; });
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
  // Cells that are elsewhere cannot become categories.
  return !given_ &&
         std::all_of(numbers_.begin(), numbers_.end(), [](double value) { return std::isnan(value); });
}

std::size_t ColumnBuilder::number_count() const {
  return numbers_given_ +
         static_cast<std::size_t>(std::count_if(numbers_.begin(), numbers_.end(),
                                                [](double value) { return !std::isnan(value); }));
}

void ColumnBuilder::refuse_stray_text() const {
  const std::size_t numbers = nominal_ ? survey_.numbers : number_count();
  survey_.refuse_if_stray(numbers, survey_.texts, *file_, position_, name_);
}

// In the cells that are held.
void ColumnBuilder::look_for_faults(const std::vector<std::size_t>& lines) {
  if (nominal_) return;
  const auto line_of = [&](auto value) { return lines[static_cast<std::size_t>(value - numbers_.begin())]; };
  if (infinite_line_ == 0) {
    const auto bad =
        std::find_if(numbers_.begin(), numbers_.end(), [](double value) { return std::isinf(value); });
    if (bad != numbers_.end()) infinite_line_ = line_of(bad);
  }
  if (plain_line_ == 0) {
    auto next = rows_with_unit_.begin();
    for (auto value = numbers_.begin(); value != numbers_.end() && plain_line_ == 0; ++value) {
      if (next != rows_with_unit_.end() && numbers_.begin() + static_cast<std::ptrdiff_t>(*next) == value)
        ++next;
      else if (!std::isnan(*value))
        plain_line_ = line_of(value);
    }
  }
}

void ColumnBuilder::refuse_faults() const {
  if (nominal_) {
    if (inferred_) refuse_stray_text();
    if (undeclared_) refuse_other_signs();
    return;
  }
  if (infinite_line_ > 0)
    throw DataError(
        at(infinite_line_),
        fmt::format("a number in column '{}' is infinite or too large for a double; correct it or leave "
                    "the cell empty",
                    name_));
  // 5% and 0.05 in one column would be a hundredfold apart.
  if (unit_.value_or(0) > 0 && plain_line_ > 0)
    throw DataError(at(plain_line_),
                    fmt::format("a number stands without the '{}' that other numbers of column '{}' have; "
                                "write all of them in the same way",
                                unit_text(*unit_), name_));
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

}  // namespace strata
