#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/cell_rules.h"
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
  bool verbatim = false;                     // every cell is a text, even one that stands for a missing value
  bool holds_text = false;                   // has no type, but its rows were read before and had texts
  std::optional<Unit> unit = {};             // of its numbers; not given: found from the cells
};

// Numbers categories in the order in which they appear.
class CategoryIndex {
 public:
  explicit CategoryIndex(const std::vector<std::string>& known = {});
  [[nodiscard]] std::int32_t find(std::string_view category) const;  // -1 when unknown
  std::int32_t find_or_add(std::string_view category);
  [[nodiscard]] const std::vector<std::string>& categories() const { return categories_; }
  [[nodiscard]] std::vector<std::string> take_categories() {
    codes_.clear();
    return std::move(categories_);
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> codes_;
  std::vector<std::string> categories_;
};

// Sorts categories that were found in the cells: their codes must not depend on the order of the rows. Gives the new code for
// each of the old ones.
std::vector<std::int32_t> sort_categories(std::vector<std::string>& categories);

// What the cells of a column are, where its type is not declared.
struct ColumnSurvey {
  std::size_t numbers = 0;
  std::size_t texts = 0;
  std::string first_text = {};
  std::size_t first_text_line = 0;
  Unit unit = 0;  // the first that was met beside a number

  void count(std::string_view cell, std::size_t line, const CellRules& rules, std::size_t times = 1);
  // One text among many numbers is a slip, not a category; a silent one-hot of every number would hide it.
  void refuse_if_stray(std::size_t all_numbers, std::size_t all_texts, const std::string& file,
                       std::size_t position, std::string_view name) const;
};
std::vector<ColumnSurvey> survey(const Text& text, CellReader reader,
                                 const std::vector<ColumnDeclaration>& columns, const CellRules& rules);

// Refuses names used twice.
void refuse_duplicates(const std::vector<ColumnDeclaration>& columns, const Location& where);
// Applies the column lists of the options. A name that is not there is refused: as a fault of the file where the options
// ask for the listed columns only, and as one of the option otherwise.
void apply_lists(const ReadOptions& options, const std::string& file,
                 std::vector<ColumnDeclaration>& columns);

[[noreturn]] void refuse_ragged(const Text& text, CellReader reader, std::size_t taken, std::size_t expected);

}  // namespace strata
