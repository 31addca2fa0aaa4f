#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/columns.h"

namespace strata {

// A column while it is being read. An undeclared one starts as numbers; the first text makes it nominal at
// once when nothing but missing cells came before, and otherwise after the first pass, by reading its cells again.
class ColumnBuilder {
 public:
  ColumnBuilder(const ColumnDeclaration& declared, std::size_t position, const std::string& file,
                const CellRules& rules);

  void reserve(std::size_t rows);
  void take(CellReader& reader) {
    double value = 0;
    if (!nominal_ && reader.take_number(value))
      push_number(value);
    else
      take_slowly(reader);
  }

  [[nodiscard]] bool needs_second_pass() const { return inferred_ && !nominal_ && survey_.texts > 0; }
  void
  begin_second_pass();  // in the first one, numbers stand where texts were; now every cell is read as text

  [[nodiscard]] std::size_t bytes_per_row() const { return nominal_ ? sizeof(std::int32_t) : sizeof(double); }
  Column finish(const std::vector<std::size_t>& lines);

 private:
  void push_number(double value) {
    numbers_.push_back(rules_->is_missing(value) ? Column::missing_number : value);
  }
  void start_nominal(std::size_t missing_before);
  void take_slowly(CellReader& reader);
  void push_missing();
  void push_category(std::string_view cell, std::size_t line);
  void push_text(std::string_view cell, std::size_t line);
  [[nodiscard]] bool only_missing_so_far() const;
  [[nodiscard]] std::size_t number_count() const;
  void refuse_stray_text() const;
  void refuse_infinite(const std::vector<std::size_t>& lines) const;
  void refuse_mixed_units(const std::vector<std::size_t>& lines) const;
  void refuse_other_signs() const;
  void sort_categories();
  [[nodiscard]] Location at(std::size_t line) const { return {*file_, line, position_ + 1}; }

  std::string name_;
  std::size_t position_;
  const std::string* file_;
  const CellRules* rules_;
  CategoryIndex index_;
  bool undeclared_ = false;
  bool inferred_ = false;  // undeclared, and not yet found to be nominal
  bool closed_ = false;
  bool verbatim_ = false;
  bool nominal_ = false;
  std::vector<double> numbers_;
  std::vector<std::int32_t> codes_;
  ColumnSurvey survey_;  // of texts and, once the column is nominal, numbers
  std::optional<Unit> unit_;
  std::vector<std::size_t> rows_with_unit_;
};

}  // namespace strata
