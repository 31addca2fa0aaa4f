#include "strata/data/target.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/names.h"
#include "strata/core/option_text.h"
#include "strata/core/suggestion.h"

namespace strata {

namespace {

using Names = std::vector<std::string>;

void check_classes(const ColumnEncoding& target, const Table& table, std::size_t position, std::size_t rows,
                   std::size_t max_categories) {
  const std::size_t count = target.categories.size();
  const auto refuse = [&](const std::string& problem) {
    throw DataError({table.file, 0, position + 1},
                    fmt::format("the target '{}' has {}", target.name, problem));
  };
  if (count == 1)
    refuse(fmt::format("a single class in the training rows, '{}'; classification needs two or more",
                       target.categories.front()));
  if (count > 2 && count == rows)
    refuse(
        fmt::format("as many classes as training rows, {}; choose a column whose values repeat, or give "
                    "{} for numbers",
                    count, option_text("task", "regression")));
  if (count > max_categories)
    refuse(fmt::format("{} classes, more than {}; choose another column, or give {} for numbers, or {}",
                       count, max_categories, option_text("task", "regression"),
                       option_text("max-categories", std::to_string(count))));
}

void check_numbers(const ColumnEncoding& target, const Table& table, std::size_t position) {
  if (target.encoded == ColumnType::nominal && target.categories.size() != 2)
    throw DataError(
        {table.file, 0, position + 1},
        fmt::format("the text target '{}' has {} values in the training rows; for a regression it needs two; "
                    "give {}, or a numeric target",
                    target.name, target.categories.size(), option_text("task", "classification")));
}

void check_labels(const Names& labels, std::size_t rows) {
  if (labels.size() < 2)
    throw DataError(
        {"numbers"},
        fmt::format("the target has a single class, '{}'; classification needs two or more", labels.front()));
  if (labels.size() > 2 && labels.size() >= rows)
    throw DataError(
        {"numbers"},
        fmt::format(
            "the target has as many classes as there are training rows, {}; use labels that repeat, or a "
            "regression for numbers",
            rows));
}

}  // namespace

Target Target::fit(const Table& table, const Names& names, std::span<const std::size_t> rows,
                   std::size_t count, const PreprocessOptions& options, Communicator& processes) {
  const bool classes = class_target(table, options).has_value();
  Target fitted;
  for (const std::string& name : names) {
    const std::size_t position = table.index(name);
    const ColumnType type = classes ? ColumnType::nominal : encoded_type(table.columns[position], options);
    ColumnEncoding target =
        fit_encoding(table, position, type, options.target_scale, rows, processes).encoding;
    target.classes = classes;
    if (classes)
      check_classes(target, table, position, count, options.max_categories);
    else
      check_numbers(target, table, position);
    fitted.columns_.push_back(std::move(target));
  }
  return fitted;
}

Target Target::of_numbers(std::vector<ColumnEncoding> columns, const Names& labels, std::size_t count) {
  if (labels.empty()) return Target(std::move(columns));
  check_labels(labels, count);
  return Target({{.name = columns.front().name,
                  .raw = ColumnType::nominal,
                  .encoded = ColumnType::nominal,
                  .scale = {},
                  .categories = labels,
                  .classes = true}});
}

Target::Kind Target::kind() const {
  if (columns_.empty() || !columns_.front().classes) return Kind::regression;
  return columns_.front().categories.size() == 2 ? Kind::binary : Kind::multiclass;
}

std::vector<std::string> Target::names() const {
  Names names;
  for (const ColumnEncoding& column : columns_) names.push_back(column.name);
  return names;
}

std::vector<std::string> Target::labels() const {
  return kind() == Kind::regression ? Names{} : columns_.front().categories;
}

void Target::encode(const Table& table, std::span<const std::size_t> rows, Dataset& data) const {
  Vector values(rows.size());
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    encode_column(columns_[k], table, table.index(columns_[k].name), rows, UnseenPolicy::refuse,
                  {values.data(), 1, values.size()});
    for (std::size_t i = 0; i < values.size(); ++i) data.y()(i, k) = values[i];
  }
}

std::vector<std::string> target_names_of(const Table& table, const PreprocessOptions& options) {
  Names targets = options.targets.empty() ? table.outputs : options.targets;
  if (targets.empty())
    throw DataError({table.file}, fmt::format("name the column to predict by {}{}", option_text("target"),
                                              suggestion("", table.names())));
  refuse_unknown(table, targets, "target");
  for (auto target = targets.begin(); target != targets.end(); ++target)
    if (std::find(targets.begin(), target, *target) != target)
      throw InvalidOption("target", *target, "the column is named twice; name it once");
  return targets;
}

std::optional<std::size_t> class_target(const Table& table, const PreprocessOptions& options) {
  const Names targets = target_names_of(table, options);
  if (options.task == Task::classification && targets.size() > 1)
    throw InvalidOption("task", "classification", "it has one target; name one, or use regression");
  if (options.task == Task::regression || targets.size() > 1) return {};
  const std::size_t position = table.index(targets.front());
  const bool classes = options.task == Task::classification ||
                       encoded_type(table.columns[position], options) == ColumnType::nominal;
  return classes ? std::optional(position) : std::nullopt;
}

ColumnType encoded_type(const Column& column, const PreprocessOptions& options) {
  if (contains(options.categorical, column.name)) return ColumnType::nominal;
  if (contains(options.numeric, column.name)) return ColumnType::numeric;
  return column.type;
}

}  // namespace strata
