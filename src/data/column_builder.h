#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/columns.h"
#include "data/parsed_piece.h"

namespace strata {

// A column whose cells were handed over in groups.
struct GroupedColumn {
  Column column;           // without cells; its categories in the order of the codes that were handed over
  bool declared = false;   // the categories, by the file
  std::size_t values = 0;  // cells that are not missing
};

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

  // Cells of a piece that were parsed apart: whether they are what this column needs, and taking them.
  [[nodiscard]] CellKind kind() const { return nominal_ ? CellKind::texts : CellKind::numbers; }
  [[nodiscard]] bool fits(const ParsedPiece::Cells& cells) const;
  void append(const ParsedPiece::Cells& cells);

  [[nodiscard]] bool needs_second_pass() const { return inferred_ && !nominal_ && survey_.texts > 0; }
  void
  begin_second_pass();  // in the first one, numbers stand where texts were; now every cell is read as text

  [[nodiscard]] std::size_t bytes_per_row() const { return nominal_ ? sizeof(std::int32_t) : sizeof(double); }
  Column finish(const std::vector<std::size_t>& lines);

  // For a table that is not to be held in memory: the cells so far, with categories numbered as they appeared, and at the end
  // all else. `lines` are those of the cells since the last call.
  Column hand_over(const std::vector<std::size_t>& lines);
  GroupedColumn finish_groups();

 private:
  void push_number(double value) {
    numbers_.push_back(rules_->is_missing(value) ? Column::missing_number : value);
  }
  void start_nominal(std::size_t missing_before);
  void take_slowly(CellReader& reader);
  void push_missing();
  void push_category(std::string_view cell, std::size_t line);
  void push_text(std::string_view cell, std::size_t line);
  void look_for_faults(const std::vector<std::size_t>& lines);
  void refuse_faults() const;
  [[nodiscard]] bool stands_for_missing(std::string_view cell) const {
    // A list in the file may declare NA itself as a value.
    return !verbatim_ && rules_->is_missing(cell) && index_.find(cell) == Column::missing_code;
  }
  [[nodiscard]] bool only_missing_so_far() const;
  [[nodiscard]] std::size_t number_count() const;
  void refuse_stray_text() const;
  void refuse_other_signs() const;
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
  std::vector<std::size_t> rows_with_unit_;  // of the cells that are held
  // Lines of the first number that is infinite, and of the first without a unit; 0: none.
  std::size_t infinite_line_ = 0;
  std::size_t plain_line_ = 0;
  std::size_t numbers_given_ = 0;  // handed over
  std::size_t values_given_ = 0;   // cells handed over that are not missing
  bool given_ = false;             // some cells were handed over
};

}  // namespace strata
