#include "strata/data/row_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "strata/core/errors.h"
#include "strata/data/encode.h"
#include "strata/data/shared_rows.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

// The rows of all processes that can be used, a bit for each row of the table: every process needs them, because a row that is left
// out moves the places of all behind it.
class UsableRows {
 public:
  UsableRows(std::span<const std::size_t> own, std::size_t rows, Communicator& processes)
      : bits_(rows / bits_of_a_word + 1), before_(bits_.size() + 1) {
    const std::size_t first = own.empty() ? 0 : own.front() / bits_of_a_word;
    std::vector<std::uint64_t> words(own.empty() ? 0 : own.back() / bits_of_a_word - first + 1);
    for (const std::size_t row : own) words[row / bits_of_a_word - first] |= bit(row);
    const std::vector<std::size_t> firsts = all_gather(processes, first);
    const auto of_all = all_to_all(processes, std::vector(processes.size(), std::move(words)));
    for (std::size_t p = 0; p < of_all.size(); ++p)
      for (std::size_t w = 0; w < of_all[p].size(); ++w) bits_[firsts[p] + w] |= of_all[p][w];
    for (std::size_t w = 0; w < bits_.size(); ++w)
      before_[w + 1] = before_[w] + static_cast<std::size_t>(std::popcount(bits_[w]));
  }

  [[nodiscard]] std::size_t count() const { return before_.back(); }
  [[nodiscard]] bool has(std::size_t row) const { return (bits_[row / bits_of_a_word] & bit(row)) != 0; }
  [[nodiscard]] std::size_t before(std::size_t row) const {
    return before_[row / bits_of_a_word] +
           static_cast<std::size_t>(std::popcount(bits_[row / bits_of_a_word] & (bit(row) - 1)));
  }

 private:
  static constexpr std::size_t bits_of_a_word = 64;
  static std::uint64_t bit(std::size_t row) { return std::uint64_t{1} << (row % bits_of_a_word); }

  std::vector<std::uint64_t> bits_;
  std::vector<std::size_t> before_;  // each word
};

}  // namespace

std::size_t RowSource::rows() const { return table_ != nullptr ? table_->all_rows() : numbers_->all_rows(); }
std::size_t RowSource::held_rows() const { return table_ != nullptr ? table_->rows() : numbers_->rows(); }
std::size_t RowSource::first_row() const {
  return table_ != nullptr ? table_->first_row : numbers_->first_row;
}

// The target column's type is known from the whole table, in all processes that share it.
RowClasses RowSource::classes(const PreprocessOptions& options) const {
  RowClasses classes;
  if (table_ != nullptr) {
    const auto target = class_target(*table_, options);
    if (!target) return {};
    Column column = as_nominal(table_->columns[*target], *processes_);
    classes = {std::move(column.name), std::move(column.categories), column.codes.take()};
  } else {
    if (numbers_->labels.empty()) return {};
    classes = {numbers_->target_names.empty() ? "y" : numbers_->target_names.front(), numbers_->labels, {}};
    for (std::size_t row = 0; row < numbers_->rows(); ++row)
      classes.codes.push_back(static_cast<std::int32_t>(numbers_->targets(row, 0)));
  }
  classes.codes = gathered(classes.codes, *processes_);
  return classes;
}

void RowSource::refuse_negative_targets(const PreprocessOptions& options, std::string_view needed_by) const {
  const auto problem = [&](std::string_view what, double value) {
    return fmt::format("{} is {}, and {} needs 0 or more; change it, or leave out its row", what, value,
                       needed_by);
  };
  if (table_ == nullptr) {
    for (std::size_t row = 0; row < held_rows(); ++row)
      for (const double y : numbers_->targets.row(row))
        if (y < 0)
          throw DataError({"numbers"},
                          problem(fmt::format("the target of row {}", first_row() + row + 1), y));
    return;
  }
  for (const std::string& name : target_names_of(*table_, options)) {
    const std::size_t position = table_->index(name);
    const std::span<const double> numbers = table_->columns[position].numbers;
    const auto found = std::ranges::find_if(numbers, [](double y) { return y < 0; });
    if (found != numbers.end())
      throw table_->refusal(static_cast<std::size_t>(found - numbers.begin()), position,
                            problem(fmt::format("the target '{}'", name), *found));
  }
}

// By their numbers in this process's part; in its order where it is not all.
std::vector<std::size_t> RowSource::own_rows(std::span<const std::size_t> rows) const {
  if (processes_->alone()) return {rows.begin(), rows.end()};
  std::vector<std::size_t> own;
  for (const std::size_t row : rows)
    if (row >= first_row() && row - first_row() < held_rows()) own.push_back(row - first_row());
  std::sort(own.begin(), own.end());
  return own;
}

Preprocessor RowSource::fit(std::span<const std::size_t> rows, const PreprocessOptions& options,
                            std::vector<std::string>& notices) const {
  if (table_ != nullptr) return Preprocessor::fit(*table_, own_rows(rows), options, *processes_, &notices);
  return Preprocessor::fit(*numbers_, own_rows(rows), options, *processes_);
}

Dataset RowSource::encode_held(const Preprocessor& preprocessor, std::vector<std::size_t> rows) const {
  return table_ != nullptr ? preprocessor.apply(*table_, std::move(rows))
                           : preprocessor.apply(*numbers_, rows);
}

// Each process encodes the rows it has, in the order of the file; then the rows go where their order wants them.
Dataset RowSource::encode(const Preprocessor& preprocessor, std::vector<std::size_t> rows) const {
  if (processes_->alone()) return encode_held(preprocessor, std::move(rows));
  std::vector<std::size_t> numbers = own_rows(rows);
  if (table_ != nullptr) numbers = preprocessor.usable_rows(*table_, std::move(numbers), true);
  Dataset held = encode_held(preprocessor, numbers);

  for (std::size_t& row : numbers) row += first_row();  // in the whole table
  const UsableRows usable(numbers, this->rows(), *processes_);
  held.first_row = usable.before(first_row());
  held.shared_rows = usable.count();

  std::erase_if(rows, [&](std::size_t row) { return !usable.has(row); });
  for (std::size_t& row : rows) row = usable.before(row);
  return take_rows(held, rows, *processes_);
}

}  // namespace strata
