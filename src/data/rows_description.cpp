#include "data/rows_description.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/json.h"
#include "data/columns.h"
#include "data/rows_file.h"
#include "data/style_json.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

using Json = nlohmann::json;

class DescriptionParser {
 public:
  DescriptionParser(int descriptor, const std::string& file) : descriptor_(descriptor), file_(file) {}

  RowsDescription parse() {
    const std::string text = description_text();
    const JsonDocument document = parse_json(text, file_, "the description of its columns");
    try {
      RowsDescription description = described(document.root());
      if (description.end() != end_)
        refuse(fmt::format("its columns should end at byte {}, and do so at {}", description.end(), end_));
      return description;
    } catch (const Json::exception&) {
      refuse("the description of its columns lacks something");
    } catch (const InvalidOption&) {
      refuse("the description has an unknown encoding");
    }
  }

 private:
  [[noreturn]] void refuse(std::string_view problem) const {
    throw DataError({file_}, fmt::format("{}; the file is damaged, pack the table again", problem));
  }

  std::string bytes(std::uint64_t offset, std::size_t count) const {
    std::string text(count, '\0');
    if (!read_at(descriptor_, offset, count, text.data())) refuse("it cannot be read to its end");
    return text;
  }

  std::string description_text() {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode))
      throw DataError({file_}, "this is no file; give the name of a packed table");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const std::size_t head = std::min<std::uint64_t>(size, rows_file::magic.size());
    if (const std::string first = bytes(0, head); first != rows_file::magic) {
      const std::string_view kind = rows_file::magic.substr(0, rows_file::magic.find('1'));
      if (first.starts_with(kind))
        throw DataError({file_}, "it was packed by another version of strata; pack the table again");
      throw DataError({file_}, "this is no packed table; make one by strata pack");
    }
    if (size < rows_file::page + rows_file::trailer_bytes) refuse("it ends too early");
    const std::uint64_t data_end = size - rows_file::trailer_bytes;
    const std::string trailer = bytes(data_end, rows_file::trailer_bytes);
    end_ = rows_file::word_at(trailer, 0);
    const std::uint64_t length = rows_file::word_at(trailer, 8);
    if (!trailer.ends_with(rows_file::end_magic)) refuse("it ends too early");
    if (length > rows_file::longest_description || length > data_end || end_ != data_end - length)
      refuse("it does not say where its description begins");
    std::string text = bytes(end_, length);
    if (rows_file::checksum(text) != rows_file::word_at(trailer, 16))
      refuse("the description of its columns has another checksum");
    return text;
  }

  std::size_t whole(const Json& number, std::string_view what, std::size_t least, std::size_t most) const {
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() < least ||
        number.get<std::uint64_t>() > most)
      refuse(fmt::format("the number of {} is impossible", what));
    return number.get<std::size_t>();
  }

  RowsDescription described(const Json& json) const {
    RowsDescription found;
    found.rows = whole(json.at("rows"), "rows", 1, rows_file::most_rows);
    found.group_rows = whole(json.at("group_rows"), "rows in a group", rows_file::fewest_group_rows,
                             rows_file::most_group_rows);
    if (!std::has_single_bit(found.group_rows)) refuse("the number of rows in a group is impossible");
    const Json& columns = json.at("columns");
    if (!columns.is_array() || columns.empty() || columns.size() > rows_file::most_columns)
      refuse("the number of columns is impossible");
    for (const Json& column : columns) found.columns.push_back(stored_column(column, found));
    std::vector<ColumnDeclaration> names;
    for (const auto& column : found.columns) names.push_back({.name = column.name});
    refuse_duplicates(names, {file_});
    found.offsets = offsets(found.columns, found.group_rows);
    found.last_offsets = offsets(found.columns, found.rows_in(found.groups() - 1));
    if (json.contains("outputs")) found.outputs = json.at("outputs").get<std::vector<std::string>>();
    if (json.contains("text")) found.style = style_from_json(json.at("text"), file_);
    return found;
  }

  static std::vector<std::uint64_t> offsets(const std::vector<RowsDescription::StoredColumn>& columns,
                                            std::size_t rows) {
    std::vector<std::uint64_t> found{0};
    for (const auto& column : columns)
      found.push_back(found.back() + rows_file::in_pages(rows * rows_file::width_of(column.type)));
    return found;
  }

  RowsDescription::StoredColumn stored_column(const Json& json, const RowsDescription& of) const {
    RowsDescription::StoredColumn column{.name = json.at("name").get<std::string>()};
    column.values = whole(json.at("values"), "values", 0, of.rows);
    if (json.contains("unit")) column.unit = json.at("unit").get<std::string>();
    if (!unit_from(column.unit)) refuse("the unit of a column is not known");
    if (json.contains("categories")) {
      column.type = ColumnType::nominal;
      column.categories = json.at("categories").get<std::vector<std::string>>();
      column.declared = json.at("declared").get<bool>();
      const std::unordered_set<std::string_view> different(column.categories.begin(),
                                                           column.categories.end());
      if (different.size() != column.categories.size()) refuse("a category is listed twice");
    }
    const Json& checks = json.at("checks");
    if (!checks.is_array() || checks.size() != of.groups()) refuse("the number of checksums is impossible");
    for (const Json& check : checks)
      column.checks.push_back(static_cast<std::uint32_t>(whole(check, "a checksum", 0, 0xffffffff)));
    return column;
  }

  int descriptor_;
  const std::string& file_;
  std::uint64_t end_ = 0;  // of the groups
};

}  // namespace

bool read_at(int descriptor, std::uint64_t offset, std::size_t bytes, void* to) {
  auto* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = ::pread(descriptor, next, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

// There is a checksum for each column of each group in the description, so that this product stays far below 2^64.
std::uint64_t RowsDescription::begin_of(std::size_t group) const {
  return rows_file::page + group * offsets.back();
}

RowsDescription read_description(int descriptor, const std::string& file) {
  return DescriptionParser(descriptor, file).parse();
}

}  // namespace strata
