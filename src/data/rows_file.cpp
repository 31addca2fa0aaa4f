#include "data/rows_file.h"

#include <zlib.h>

#include <algorithm>
#include <bit>

#include "core/json_text.h"
#include "data/style_json.h"

namespace strata {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

namespace rows_file {

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void append_word(std::string& bytes, std::uint64_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint64_t word_at(std::string_view bytes, std::size_t position) {
  std::uint64_t value = 0;
  std::copy_n(bytes.data() + position, sizeof value, reinterpret_cast<char*>(&value));
  return value;
}

std::size_t group_rows_for(std::size_t columns) {
  constexpr std::size_t wanted = std::size_t{64} << 20U;
  const std::size_t fitting = wanted / (sizeof(double) * std::max(columns, std::size_t{1}));
  return std::clamp(std::bit_floor(std::max(fitting, std::size_t{1})), fewest_group_rows, most_group_rows);
}

}  // namespace rows_file

namespace {

std::string_view bytes_of(const Column& column) {
  const auto view = [](const auto& cells) {
    return std::string_view(reinterpret_cast<const char*>(cells.data()), cells.size() * sizeof(cells[0]));
  };
  return column.type == ColumnType::numeric ? view(column.numbers) : view(column.codes);
}

}  // namespace

RowsFileWriter::RowsFileWriter(Write write) : write_(std::move(write)) {
  std::string first(rows_file::magic);
  first.resize(rows_file::page);
  put(first);
}

void RowsFileWriter::put(std::string_view bytes) {
  write_(bytes);
  offset_ += bytes.size();
}

void RowsFileWriter::take(const std::vector<Column>& columns) {
  checks_.resize(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string_view bytes = bytes_of(columns[c]);
    checks_[c].push_back(rows_file::checksum(bytes));
    put(bytes);
    put(std::string(rows_file::in_pages(bytes.size()) - bytes.size(), '\0'));
  }
  rows_ += columns.front().size();
}

void RowsFileWriter::finish(const std::vector<GroupedColumn>& columns, std::size_t group_rows,
                            const TextStyle& style, const std::vector<std::string>& outputs) {
  JsonText json;
  json.begin_object().member("rows", rows_).member("group_rows", group_rows).name("columns").begin_list();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c].column;
    json.begin_object().member("name", column.name).member("values", columns[c].values);
    if (!column.unit.empty()) json.member("unit", column.unit);
    if (column.type == ColumnType::nominal)
      json.member("categories", column.categories).member("declared", columns[c].declared);
    json.member("checks", checks_[c]).end_object();
  }
  json.end_list();
  if (!outputs.empty()) json.member("outputs", outputs);
  if (style != TextStyle{}) write_style(json.name("text"), style);
  const std::string description = std::move(json.end_object().text());
  std::string trailer;
  rows_file::append_word(trailer, offset_);
  rows_file::append_word(trailer, description.size());
  rows_file::append_word(trailer, rows_file::checksum(description));
  put(description);
  put(trailer.append(rows_file::end_magic));
}

}  // namespace strata
