#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "strata/data/table.h"
#include "strata/data/text_style.h"

namespace strata {

// What a packed file says of its columns and where they are.
struct RowsDescription {
  struct StoredColumn {
    std::string name;
    ColumnType type = ColumnType::numeric;
    std::string unit = {};
    std::size_t values = 0;  // cells that are not missing
    std::vector<std::string> categories = {};
    bool declared = false;  // the categories stay in their order; others are sorted when they are read
    std::vector<std::uint32_t> checks = {};  // of every group
  };

  std::size_t rows = 0;
  std::size_t group_rows = 0;
  std::vector<StoredColumn> columns = {};
  std::vector<std::string> outputs = {};
  TextStyle style = {};

  [[nodiscard]] std::size_t groups() const { return (rows + group_rows - 1) / group_rows; }
  [[nodiscard]] std::size_t rows_in(std::size_t group) const {
    return group + 1 < groups() ? group_rows : rows - group * group_rows;
  }
  // In the file.
  [[nodiscard]] std::uint64_t offset_of(std::size_t column, std::size_t group) const {
    return begin_of(group) + (group + 1 < groups() ? offsets : last_offsets)[column];
  }
  [[nodiscard]] std::uint64_t end() const { return begin_of(groups() - 1) + last_offsets.back(); }

  // Of the columns, and of what follows them, in a group and in the last one.
  std::vector<std::uint64_t> offsets = {};
  std::vector<std::uint64_t> last_offsets = {};

 private:
  [[nodiscard]] std::uint64_t begin_of(std::size_t group) const;
};

// Reads exactly these bytes; false where the file ends before, or cannot be read.
bool read_at(int descriptor, std::uint64_t offset, std::size_t bytes, void* to);

// Of an open file that may be damaged or hostile: what does not agree with itself, or with the size of the file, is refused.
RowsDescription read_description(int descriptor, const std::string& file);

}  // namespace strata
