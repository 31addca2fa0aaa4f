#include "model/row_classes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strata/data/encode.h"

namespace strata {

// The target column's type is known from the whole table, in all processes that share it.
RowClasses row_classes(const Table& table, const PreprocessOptions& options, Communicator& processes) {
  const auto target = class_target(table, options);
  if (!target) return {};
  Column column = as_nominal(table.columns[*target], processes);
  return {std::move(column.name), std::move(column.categories), std::move(column.codes)};
}

RowClasses row_classes(const Numbers& numbers, const PreprocessOptions& /*options*/,
                       Communicator& /*processes*/) {
  RowClasses classes{numbers.target_names.empty() ? "y" : numbers.target_names.front(), numbers.labels, {}};
  for (std::size_t row = 0; !numbers.labels.empty() && row < numbers.rows(); ++row)
    classes.codes.push_back(static_cast<std::int32_t>(numbers.targets(row, 0)));
  return classes;
}

std::vector<std::string> lonely_classes(const RowClasses& classes) {
  std::vector<std::size_t> counts(classes.labels.size());
  for (const std::int32_t code : classes.codes)
    if (code >= 0) ++counts[static_cast<std::size_t>(code)];
  std::vector<std::string> lonely;
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] == 1) lonely.push_back(classes.labels[k]);
  if (lonely.empty()) return {};
  if (lonely.size() == 1)
    return {fmt::format("the class '{}' of {} has one row, which stays in training", lonely.front(),
                        classes.target)};
  return {fmt::format("{} classes of {} have one row each, which stays in training: {}", lonely.size(),
                      classes.target, fmt::join(lonely, ", "))};
}

}  // namespace strata
