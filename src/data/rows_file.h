#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/column_builder.h"
#include "strata/data/text_style.h"

namespace strata {

// The file of a packed table, .strata-rows; docs/rows-format.md describes its bytes. First a page that says what it is, then
// groups of rows, each column of a group by itself and filled up to whole pages, then a description, then where that begins.
namespace rows_file {

constexpr std::string_view magic = "strata rows 1\n";
constexpr std::string_view end_magic = "rows end";
constexpr std::size_t page = 4096;
constexpr std::size_t trailer_bytes = 32;  // offset, size and checksum of the description, end_magic
constexpr std::size_t fewest_group_rows = 1024;
constexpr std::size_t most_group_rows = std::size_t{1} << 17U;
constexpr std::size_t most_columns = 100'000;
constexpr std::size_t most_rows = std::size_t{1} << 40U;
constexpr std::size_t longest_description = std::size_t{1} << 28U;

constexpr std::size_t width_of(ColumnType type) {
  return type == ColumnType::numeric ? sizeof(double) : sizeof(std::int32_t);
}
constexpr std::size_t in_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }
std::uint32_t checksum(std::string_view bytes);
void append_word(std::string& bytes, std::uint64_t value);
std::uint64_t word_at(std::string_view bytes, std::size_t position);

// A power of two, so that a group of all columns takes 64 MB or less where it can.
std::size_t group_rows_for(std::size_t columns);

}  // namespace rows_file

// Makes the bytes of one, group by group.
class RowsFileWriter {
 public:
  using Write = std::function<void(std::string_view bytes)>;
  explicit RowsFileWriter(Write write);

  void take(const std::vector<Column>& columns);
  void finish(const std::vector<GroupedColumn>& columns, std::size_t group_rows, const TextStyle& style,
              const std::vector<std::string>& outputs);
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return checks_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return offset_; }

 private:
  void put(std::string_view bytes);

  Write write_;
  std::size_t rows_ = 0;
  std::uint64_t offset_ = 0;
  std::vector<std::vector<std::uint32_t>> checks_;  // of every column, of every group
};

}  // namespace strata
