#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/cells.h"
#include "strata/data/read.h"
#include "strata/data/table.h"

namespace strata {

// What is known of a column before its cells are read. No type: it is found from the cells.
struct ColumnDeclaration {
  std::string name;
  std::optional<ColumnType> type = {};
  std::vector<std::string> categories = {};  // when the file lists them; other values are then refused
  bool skip = false;                         // its cells are passed over, and it is not in the table
};

// Numbers categories in the order in which they appear.
class CategoryIndex {
 public:
  explicit CategoryIndex(const std::vector<std::string>& known = {});
  [[nodiscard]] std::int32_t find(std::string_view category) const;  // -1 when unknown
  std::int32_t find_or_add(std::string_view category);
  [[nodiscard]] const std::vector<std::string>& categories() const { return categories_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> codes_;
  std::vector<std::string> categories_;
};

// Typed columns from the records of a text that may come in several pieces. Records are read once; where a column begins
// with numbers and goes on with texts, a second time.
class TableBuilder {
 public:
  TableBuilder(const std::string& file, const std::vector<ColumnDeclaration>& declared,
               std::size_t expected_rows);
  ~TableBuilder();
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  void read(const Text& text, CellReader reader);  // all records from `reader` on
  [[nodiscard]] bool begin_second_pass();          // after the last piece; false: none is needed
  void read_again(CellReader reader);              // the same pieces
  Table finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads all records from `reader` on into typed columns; refuses when there is none.
Table read_columns(const Text& text, const CellReader& reader,
                   const std::vector<ColumnDeclaration>& declared);

// The same for a piece of a text, which may have no record.
Table read_piece(const Text& text, const CellReader& reader, const std::vector<ColumnDeclaration>& declared);

// What the cells of a column are, where its type is not declared.
struct ColumnSurvey {
  std::size_t numbers = 0;
  std::size_t texts = 0;
  std::string first_text = {};
  std::size_t first_text_line = 0;

  void count(std::string_view cell, std::size_t line);
  // One text among many numbers is a slip, not a category; a silent one-hot of every number would hide it.
  void refuse_if_stray(std::size_t all_numbers, std::size_t all_texts, const std::string& file,
                       std::size_t position, std::string_view name) const;
};
std::vector<ColumnSurvey> survey(const Text& text, CellReader reader,
                                 const std::vector<ColumnDeclaration>& columns);

// Refuses names used twice, and applies the column lists of the options.
void refuse_duplicates(const std::vector<ColumnDeclaration>& columns, const Location& where);
void apply_lists(const ReadOptions& options, std::vector<ColumnDeclaration>& columns);

}  // namespace strata
