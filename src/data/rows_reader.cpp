// A packed table (.strata-rows) as a TableReader.
#include "data/rows_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <utility>

#include "data/columns.h"
#include "data/names.h"
#include "data/rows_description.h"
#include "data/rows_file.h"
#include "strata/core/option_text.h"
#include "strata/data/encode.h"
#include "strata/parallel/communicator.h"
#include "strata/parallel/engine.h"

namespace strata {

namespace {

class RowsReader final : public TableReader {
 public:
  RowsReader(File file, std::string name, const ReadOptions& options)
      : file_(std::move(file)),
        name_(std::move(name)),
        memory_(options.memory > 0 ? options.memory : default_memory()),
        stored_(read_description(::fileno(file_.get()), name_)) {
    for (const auto& column : stored_.columns) wanted_.push_back({.name = column.name});
    apply_lists(options, name_, wanted_);
    const auto markers = stored_.style.missing.value_or(missing_markers());
    if (options.style.missing && *options.style.missing != markers)
      throw DataError(
          {name_}, fmt::format("it was packed with other markers of missing values; pack the table "
                               "again with {}",
                               option_text("na", fmt::format("{}", fmt::join(*options.style.missing, ",")))));
    for (std::size_t c = 0; c < wanted_.size(); ++c) check(stored_.columns[c], wanted_[c]);
    for (std::size_t c = 0; c < wanted_.size(); ++c) {
      categories_.push_back(stored_.columns[c].categories);
      ranks_.emplace_back();
      if (!stored_.columns[c].declared) ranks_.back() = sort_categories(categories_.back());
    }
  }

  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& column : stored_.columns) all.push_back(column.name);
    return all;
  }

  Table next(std::size_t rows) override {
    if (rows == 0) throw InvalidOption("rows", "0", "read at least one row at once");
    if (row_ == stored_.rows) return described({});
    const std::size_t group = row_ / stored_.group_rows;
    const std::size_t first = row_ % stored_.group_rows;
    if (first == 0) held_ = read([&](std::size_t c) { return in_memory(c, group, group + 1); });
    const std::size_t count = std::min(rows, stored_.rows_in(group) - first);
    std::vector<std::size_t> places(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = first + i;
    row_ += count;
    return described(take_rows(held_, places));
  }

  Table read_all() override {
    if (bytes() <= memory_)
      return described(read([&](std::size_t c) { return in_memory(c, 0, stored_.groups()); }));
    Table table = described(read([&](std::size_t c) { return on_disk(c); }));
    table.notices.push_back(
        fmt::format("{}: its numbers take {} MB, more than the {} MB of memory, and stay on the disk", name_,
                    bytes() >> 20U, memory_ >> 20U));
    return table;
  }

 private:
  using Stored = RowsDescription::StoredColumn;

  // What a text would have given as another type, or with another unit, is no longer in the file.
  void check(const Stored& column, const ColumnDeclaration& wanted) const {
    if (wanted.skip || wanted.verbatim || column.values == 0) return;
    const auto refuse = [&](std::string_view what, std::string_view remedy) {
      throw DataError({name_}, fmt::format("column '{}' is packed as {}; pack the table again with {}",
                                           column.name, what, remedy));
    };
    if (wanted.type == ColumnType::nominal && column.type == ColumnType::numeric)
      refuse("numbers", option_text("categorical", column.name));
    if (wanted.type == ColumnType::numeric && column.type == ColumnType::nominal)
      refuse(fmt::format("texts such as '{}'", shown(column.categories.front())),
             option_text("numeric", column.name));
    if (wanted.unit && column.type == ColumnType::numeric && unit_text(*wanted.unit) != column.unit)
      throw DataError({name_},
                      fmt::format("the numbers of column '{}' have {} and should have {}; write all tables "
                                  "in the same way",
                                  column.name, unit_named(column.unit), unit_named(unit_text(*wanted.unit))));
  }

  static std::string unit_named(std::string_view unit) {
    return unit.empty() ? "no unit" : fmt::format("'{}'", unit);
  }

  [[nodiscard]] std::size_t bytes() const {
    std::size_t per_row = 0;
    for (std::size_t c = 0; c < wanted_.size(); ++c)
      if (!wanted_[c].skip) per_row += rows_file::width_of(stored_.columns[c].type);
    return per_row * stored_.rows;
  }

  template <class ReadColumn>
  Table read(const ReadColumn& read_column) const {
    Table table;
    for (std::size_t c = 0; c < wanted_.size(); ++c) {
      if (wanted_[c].skip) continue;
      table.columns.push_back(as_wanted(read_column(c), wanted_[c]));
      table.columns.back().position = c + 1;
    }
    return table;
  }

  // Types differ only where nothing is lost: kept texts, and columns without any value.
  [[nodiscard]] static Column as_wanted(Column column, const ColumnDeclaration& wanted) {
    const std::size_t rows = column.size();
    if (wanted.verbatim) {
      column = as_nominal(column, single_process());
      const auto empty_text = static_cast<std::int32_t>(column.categories.size());
      column.categories.emplace_back();
      for (std::int32_t& code : column.codes)
        if (code == Column::missing_code) code = empty_text;
      return column;
    }
    if (wanted.type.value_or(column.type) == column.type) return column;
    if (wanted.type == ColumnType::nominal)
      return nominal_column(column.name, {}, std::vector(rows, Column::missing_code));
    return numeric_column(column.name, std::vector(rows, Column::missing_number));
  }

  [[nodiscard]] Column named(std::size_t c) const {
    return {.name = stored_.columns[c].name,
            .type = stored_.columns[c].type,
            .categories = categories_[c],
            .unit = stored_.columns[c].unit};
  }

  [[nodiscard]] Column in_memory(std::size_t c, std::size_t first_group, std::size_t end_group) const {
    Column column = named(c);
    std::size_t rows = 0;
    for (std::size_t group = first_group; group < end_group; ++group) rows += stored_.rows_in(group);
    if (column.type == ColumnType::numeric) {
      std::vector<double> numbers(rows);
      read_groups(c, first_group, end_group, numbers.data());
      column.numbers = std::move(numbers);
    } else {
      std::vector<std::int32_t> codes(rows);
      read_groups(c, first_group, end_group, codes.data());
      column.codes = std::move(codes);
    }
    return column;
  }

  [[nodiscard]] Column on_disk(std::size_t c) const {
    Column column = named(c);
    if (column.type == ColumnType::nominal) {
      column.codes = copy_on_disk<std::int32_t>(c);  // which have other codes than the file
    } else {
      column.numbers = mapped(c);
      if (column.numbers.empty()) column.numbers = copy_on_disk<double>(c);
    }
    return column;
  }

  template <class T>
  [[nodiscard]] StoredVector<T> copy_on_disk(std::size_t c) const {
    StoredVector<T> cells(MappedBytes::scratch(stored_.rows * sizeof(T)), stored_.rows);
    T* next = cells.data();
    for (std::size_t group = 0; group < stored_.groups(); ++group) {
      read_groups(c, group, group + 1, next);
      cells.release(group * stored_.group_rows, stored_.rows_in(group));
      next += stored_.rows_in(group);
    }
    return cells;
  }

  // The numbers where they are. Empty where the system cannot put the groups of a column side by side.
  [[nodiscard]] StoredVector<double> mapped(std::size_t c) const {
    std::vector<MappedBytes::Piece> pieces;
    for (std::size_t group = 0; group < stored_.groups(); ++group)
      pieces.push_back(
          {stored_.offset_of(c, group), rows_file::in_pages(stored_.rows_in(group) * sizeof(double))});
    auto bytes = MappedBytes::of_file(::fileno(file_.get()), pieces);
    if (!bytes) return {};
    StoredVector<double> numbers(std::move(bytes), stored_.rows);
    const std::span<const double> cells = std::as_const(numbers);
    for (std::size_t group = 0; group < stored_.groups(); ++group) {
      const std::size_t first = group * stored_.group_rows;
      check_cells(c, group, cells.subspan(first, stored_.rows_in(group)));
      numbers.release(first, stored_.rows_in(group));
    }
    return numbers;
  }

  template <class T>
  void read_groups(std::size_t c, std::size_t first, std::size_t end, T* next) const {
    for (std::size_t group = first; group < end; ++group) {
      const std::size_t rows = stored_.rows_in(group);
      if (!read_at(::fileno(file_.get()), stored_.offset_of(c, group), rows * sizeof(T), next))
        throw DataError({name_},
                        "the file cannot be read to its end; check the disk, or pack the table again");
      check_cells(c, group, std::span<const T>(next, rows));
      if constexpr (std::is_same_v<T, std::int32_t>) translate(c, {next, rows});
      next += rows;
    }
  }

  void translate(std::size_t c, std::span<std::int32_t> codes) const {
    if (stored_.columns[c].declared) return;
    for (std::int32_t& code : codes)
      if (code != Column::missing_code) code = ranks_[c][static_cast<std::size_t>(code)];
  }

  template <class T>
  void check_cells(std::size_t c, std::size_t group, std::span<const T> cells) const {
    const std::string_view bytes(reinterpret_cast<const char*>(cells.data()), cells.size_bytes());
    const auto most = static_cast<std::int64_t>(categories_[c].size());
    const auto impossible = [&](T cell) {
      if constexpr (std::is_same_v<T, double>)
        return std::isinf(cell);
      else
        return cell < Column::missing_code || cell >= most;
    };
    if (rows_file::checksum(bytes) != stored_.columns[c].checks[group] ||
        std::any_of(cells.begin(), cells.end(), impossible))
      throw DataError({name_},
                      fmt::format("the cells of column '{}' from row {} on are not those that were packed; "
                                  "the file is damaged, pack the table again",
                                  stored_.columns[c].name, group * stored_.group_rows + 1));
  }

  [[nodiscard]] Table described(Table table) const {
    table.file = name_;
    table.outputs = stored_.outputs;
    table.style = stored_.style;
    return table;
  }

  File file_;
  std::string name_;
  std::size_t memory_;
  RowsDescription stored_;
  std::vector<ColumnDeclaration> wanted_;
  std::vector<std::vector<std::string>> categories_;  // as tables have them
  std::vector<std::vector<std::int32_t>> ranks_;      // for the codes of the file
  std::size_t row_ = 0;                               // the next one
  Table held_;                                        // its group
};

}  // namespace

std::unique_ptr<TableReader> read_rows_file(File file, std::string name, const ReadOptions& options) {
  return std::make_unique<RowsReader>(std::move(file), std::move(name), options);
}

}  // namespace strata
