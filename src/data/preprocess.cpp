#include "strata/data/preprocess.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/column_review.h"
#include "data/names.h"
#include "strata/core/option_text.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

using Names = std::vector<std::string>;

std::vector<std::size_t> every_row(const Table& table) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

void refuse_overlap(const Names& a, const Names& b, std::string_view option, std::string_view remedy) {
  for (const std::string& name : a)
    if (contains(b, name)) throw InvalidOption(option, name, remedy);
}

Names input_names_of(const Table& table, const PreprocessOptions& options, const Names& targets) {
  Names inputs;
  for (const Column& column : table.columns)
    if (!contains(targets, column.name) && !contains(options.ignore, column.name))
      inputs.push_back(column.name);
  if (inputs.empty())
    throw DataError({table.file}, "there is no usable column beside the target; ignore fewer or add some");
  return inputs;
}

void check_options(const Table& table, const PreprocessOptions& options, const Names& targets) {
  refuse_unknown(table, options.ignore, "ignore");
  refuse_unknown(table, options.categorical, "categorical");
  refuse_unknown(table, options.numeric, "numeric");
  refuse_overlap(targets, options.ignore, "ignore", "the column is a target; it cannot be ignored");
  refuse_overlap(options.numeric, options.categorical, "numeric",
                 "it is also categorical; keep one of the two");
}

// Texts that are all dates become parts of dates.
ColumnType input_type(const Column& column, const PreprocessOptions& options) {
  const ColumnType type = encoded_type(column, options);
  if (type != ColumnType::nominal || column.type != ColumnType::nominal ||
      contains(options.categorical, column.name))
    return type;
  return find_dates(column.categories) ? ColumnType::date : type;
}

bool has_missing(const Column& column) {
  const bool found =
      column.type == ColumnType::numeric
          ? std::ranges::any_of(column.numbers, [](double number) { return std::isnan(number); })
          : std::ranges::find(column.codes, Column::missing_code) != column.codes.end();
  column.release();
  return found;
}

std::vector<std::size_t> positions_of(const std::vector<ColumnEncoding>& encodings, const Table& table) {
  const Names names = table.names();
  const NameIndex index(names);
  std::vector<std::size_t> positions;
  positions.reserve(encodings.size());
  for (const ColumnEncoding& encoding : encodings) {
    const auto found = index.find(encoding.name);
    positions.push_back(found ? *found : table.index(encoding.name));  // which refuses it
  }
  return positions;
}

// False when the row is to be dropped; refuses when it may not be.
bool keeps(const Table& table, std::size_t row, std::span<const std::size_t> positions, bool drop,
           std::string_view what, std::string_view remedy) {
  for (const std::size_t position : positions) {
    if (!table.columns[position].is_missing(row)) continue;
    if (drop) return false;
    throw table.refusal(
        row, position,
        fmt::format("the {} '{}' has no value; {}", what, table.columns[position].name, remedy));
  }
  return true;
}

std::vector<ColumnEncoding> named(const Names& names) {
  std::vector<ColumnEncoding> encodings(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) encodings[i].name = names[i];
  return encodings;
}

}  // namespace

void make_strict(PreprocessOptions& options) {
  options.missing = MissingPolicy::refuse;
  options.drop_rows_without_target = false;
  options.unseen = UnseenPolicy::refuse;
  options.useless = ColumnPolicy::refuse;
}

Preprocessor Preprocessor::fit(const Table& table, const PreprocessOptions& options) {
  return fit(table, every_row(table), options);
}

Preprocessor Preprocessor::fit(const Table& table, std::span<const std::size_t> training_rows,
                               const PreprocessOptions& options, Communicator& processes,
                               std::vector<std::string>* notices) {
  const Names targets = target_names_of(table, options);
  check_options(table, options, targets);
  ColumnReview review(table, options, processes);
  Preprocessor fitted;
  fitted.inputs_ = named(review.with_values(input_names_of(table, options, targets)));
  fitted.target_ = Target(named(targets));
  fitted.missing_ = options.missing;
  fitted.drop_rows_without_target_ =
      options.drop_rows_without_target || options.missing == MissingPolicy::drop;
  fitted.unseen_ = options.unseen;
  fitted.expand_inputs_ = options.expand_inputs;
  fitted.style_ = table.style;

  std::vector<std::size_t> rows(training_rows.begin(), training_rows.end());
  if (options.fit_scale_on_all_rows) rows = every_row(table);
  rows = fitted.usable_rows(table, std::move(rows), true);
  if (!table.weights.empty()) std::erase_if(rows, [&](std::size_t row) { return table.weights[row] == 0; });
  const std::size_t count = sum_over(processes, rows.size());
  if (count < 2)
    throw DataError({table.file}, fmt::format("there {} to train on; at least two are needed",
                                              count == 0 ? "are no complete rows" : "is one complete row"));
  const std::vector<std::size_t> input_positions = positions_of(fitted.inputs_, table);
  fitted.inputs_.clear();
  for (const std::size_t position : input_positions) {
    FittedColumn column = fit_encoding(table, position, input_type(table.columns[position], options),
                                       options.scale, rows, processes);
    if (review.keeps(column, position, rows)) fitted.inputs_.push_back(std::move(column.encoding));
    table.columns[position].release();
  }
  if (fitted.inputs_.empty()) review.refuse_nothing_left();
  fitted.target_ = Target::fit(table, targets, rows, count, options, processes);
  if (fitted.target_.kind() == Target::Kind::regression) review.look_at_targets(targets, rows);
  if (notices != nullptr) review.append_notices(targets, *notices);
  return fitted;
}

Preprocessor Preprocessor::with_policies(MissingPolicy missing, UnseenPolicy unseen) const {
  Preprocessor changed = *this;
  changed.missing_ = missing;
  changed.drop_rows_without_target_ = drop_rows_without_target_ || missing == MissingPolicy::drop;
  changed.unseen_ = unseen;
  return changed;
}

std::vector<std::size_t> Preprocessor::usable_rows(const Table& table, std::vector<std::size_t> rows,
                                                   bool with_targets) const {
  // Most columns have no missing value, which one look at each tells: the rows need not be asked.
  const auto with_gaps = [&](const std::vector<ColumnEncoding>& encodings) {
    std::vector<std::size_t> positions = positions_of(encodings, table);
    std::erase_if(positions, [&](std::size_t position) { return !has_missing(table.columns[position]); });
    return positions;
  };
  const std::vector<std::size_t> inputs = with_gaps(inputs_);
  const std::vector<std::size_t> targets =
      with_targets ? with_gaps(target_.columns()) : std::vector<std::size_t>{};
  if (inputs.empty() && targets.empty()) return rows;
  const bool drop = missing_ == MissingPolicy::drop;
  const std::string no_target =
      fmt::format("fill it in, leave out its row, or give {}", option_text("missing", "drop"));
  const std::string no_value = fmt::format("fill it in, or give {} or {}", option_text("missing", "impute"),
                                           option_text("missing", "drop"));
  std::erase_if(rows, [&](std::size_t row) {
    return !keeps(table, row, targets, drop_rows_without_target_, "target", no_target) ||
           (missing_ != MissingPolicy::impute && !keeps(table, row, inputs, drop, "column", no_value));
  });
  return rows;
}

Dataset Preprocessor::encode(const Table& table, std::span<const std::size_t> rows, bool with_targets) const {
  Dataset data(rows.size(), layout(), with_targets ? outputs() : 0, table.on_disk());
  const std::vector<std::size_t> inputs = positions_of(inputs_, table);
  double* next = data.inputs.data();
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const Matrix columns(next, inputs_[k].columns().size(), rows.size());
    encode_column(inputs_[k], table, inputs[k], rows, unseen_, columns);
    next += columns.size();
    table.columns[inputs[k]].release();
    data.inputs.release();
  }
  if (with_targets) target_.encode(table, rows, data);
  if (with_targets && !table.weights.empty())
    for (const std::size_t row : rows) data.weights.push_back(table.weights[row]);
  return data;
}

Dataset Preprocessor::apply(const Table& table) const { return apply(table, every_row(table)); }

Dataset Preprocessor::apply(const Table& table, std::vector<std::size_t> rows) const {
  return encode(table, usable_rows(table, std::move(rows), true), true);
}

Dataset Preprocessor::apply_inputs(const Table& table) const { return apply_inputs(table, every_row(table)); }

Dataset Preprocessor::apply_inputs(const Table& table, std::vector<std::size_t> rows) const {
  return encode(table, usable_rows(table, std::move(rows), false), false);
}

InputLayout Preprocessor::layout() const {
  InputLayout layout{.expand = expand_inputs_};
  for (const ColumnEncoding& input : inputs_)
    for (const InputColumn& column : input.columns()) layout.columns.push_back(column);
  return layout;
}

std::vector<std::string> Preprocessor::feature_names() const {
  Names all;
  for (const ColumnEncoding& input : inputs_)
    for (std::string& name : expand_inputs_ ? input.feature_names() : input.column_names())
      all.push_back(std::move(name));
  return all;
}

std::vector<std::string> Preprocessor::input_names() const {
  Names all;
  for (const ColumnEncoding& input : inputs_) all.push_back(input.name);
  return all;
}

ReadOptions Preprocessor::read_options(bool with_targets) const {
  ReadOptions options{.style = style_, .listed_only = true, .may_lack = target_names()};
  const auto declare = [&](const std::vector<ColumnEncoding>& encodings) {
    for (const ColumnEncoding& encoding : encodings) {
      (encoding.raw == ColumnType::numeric ? options.numeric : options.nominal).push_back(encoding.name);
      if (!encoding.unit.empty()) options.units.emplace_back(encoding.name, encoding.unit);
    }
  };
  declare(inputs_);
  if (with_targets) declare(target_.columns());
  return options;
}

}  // namespace strata
