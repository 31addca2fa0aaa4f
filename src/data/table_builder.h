#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/column_builder.h"

namespace strata {

// Puts the records of one text or of many pieces together into typed columns.
class TableBuilder {
 public:
  TableBuilder(const std::vector<ColumnDeclaration>& declared, std::string file, const CellRules& rules);

  void reserve(std::size_t rows);
  void take(const Text& text, CellReader reader);

  // A piece may be parsed apart, with the columns taken for these kinds. False where it must be taken as a text all the same.
  [[nodiscard]] std::vector<CellKind> kinds() const;
  bool take(const ParsedPiece& piece);

  // Columns that turned out to be text after they had begun with numbers must see all records once more.
  [[nodiscard]] bool needs_second_pass() const;
  [[nodiscard]] std::vector<std::size_t> late_columns() const;  // which those are
  void begin_second_pass();
  void take_again(CellReader reader);

  [[nodiscard]] std::size_t rows() const { return lines_.size(); }
  [[nodiscard]] std::size_t bytes() const;  // that the rows take in memory
  Table finish();

  // For a table that is not to be held in memory: the rows so far, and at the end the columns without them.
  std::vector<Column> hand_over();
  std::vector<GroupedColumn> finish_groups();

 private:
  std::string file_;
  std::vector<std::optional<ColumnBuilder>> builders_;  // none for a column that is skipped
  std::vector<bool> late_;                              // takes part in the second pass
  std::vector<std::size_t> lines_;
};

// One piece alone, which may have no record.
Table read_piece(const Text& text, const CellReader& reader, const std::vector<ColumnDeclaration>& declared,
                 const CellRules& rules);

}  // namespace strata
