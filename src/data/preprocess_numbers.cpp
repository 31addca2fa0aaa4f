// The preprocessor for rows that are numbers already: each is read once, from where the caller has it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "strata/data/preprocess.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

std::vector<ColumnEncoding> fit_columns(ConstMatrix numbers, std::span<const std::size_t> rows,
                                        std::span<const double> weights,
                                        const std::vector<std::string>& names, Scaling scaling,
                                        Communicator& processes) {
  std::vector<ColumnEncoding> encodings(numbers.columns());
  std::vector<double> column(rows.size());
  for (std::size_t k = 0; k < encodings.size(); ++k) {
    for (std::size_t i = 0; i < rows.size(); ++i) column[i] = numbers(rows[i], k);
    encodings[k].name = names[k];
    const NumberSummary summary = summarise(column, weights, processes);
    encodings[k].scale = fit_scale(scaling, summary);
    // There are no gaps to fill, so a mean that overflows does no harm; but what is stored must be finite.
    encodings[k].fill_number = std::isfinite(summary.mean) ? summary.mean : summary.low;
    if (!std::isfinite(encodings[k].scale.range) || !std::isfinite(encodings[k].scale.offset) ||
        !std::isfinite(summary.low))
      throw DataError(
          {"numbers", 0, k + 1},
          fmt::format("'{}' is not finite or spreads too far to be scaled in doubles; rescale it", names[k]));
  }
  return encodings;
}

std::vector<std::string> names_or(const std::vector<std::string>& names, std::size_t count,
                                  const std::string& letter, std::string_view what) {
  if (!names.empty() && names.size() != count)
    throw InvalidOption(what, fmt::format("{} names", names.size()),
                        fmt::format("give one for each of {} columns", count));
  if (!names.empty()) return names;
  std::vector<std::string> made;
  for (std::size_t k = 1; k <= count; ++k) made.push_back(letter + std::to_string(k));
  return made;
}

void scale(const std::vector<ColumnEncoding>& encodings, std::span<const double> raw, std::span<double> out) {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = encodings[k].scale.apply(raw[k]);
}

void check_sizes(const NumericRows& numbers) {
  if (numbers.targets.rows() != numbers.rows())
    throw InvalidOption("targets", fmt::format("{} rows", numbers.targets.rows()),
                        fmt::format("the inputs have {}", numbers.rows()));
  if (!numbers.weights.empty() && numbers.weights.size() != numbers.rows())
    throw InvalidOption("weights", fmt::format("{} rows", numbers.weights.size()),
                        fmt::format("the inputs have {}", numbers.rows()));
}

}  // namespace

Preprocessor Preprocessor::fit(const NumericRows& numbers, std::span<const std::size_t> training_rows,
                               const PreprocessOptions& options, Communicator& processes) {
  check_sizes(numbers);
  std::vector<std::size_t> rows(training_rows.begin(), training_rows.end());
  std::vector<double> weights;
  if (!numbers.weights.empty()) {
    std::erase_if(rows, [&](std::size_t row) { return numbers.weights[row] == 0; });
    for (const std::size_t row : rows) weights.push_back(numbers.weights[row]);
  }
  const std::size_t count = sum_over(processes, rows.size());
  if (count < 2)
    throw DataError({"numbers"}, fmt::format("there {} to train on; at least two are needed",
                                             count == 0 ? "are no rows" : "is one row"));
  const std::size_t outputs = numbers.targets.columns();
  Preprocessor fitted;
  fitted.inputs_ = fit_columns(numbers.inputs, rows, weights,
                               names_or(numbers.input_names, numbers.inputs.columns(), "x", "input_names"),
                               options.scale, processes);
  auto targets = names_or(numbers.target_names, outputs, "y", "target_names");
  if (numbers.target_names.empty() && outputs == 1) targets = {"y"};
  fitted.target_ = Target::of_numbers(
      fit_columns(numbers.targets, rows, weights, targets, options.target_scale, processes), numbers.labels,
      count);
  fitted.missing_ = options.missing;
  fitted.drop_rows_without_target_ =
      options.drop_rows_without_target || options.missing == MissingPolicy::drop;
  fitted.unseen_ = options.unseen;
  fitted.expand_inputs_ = options.expand_inputs;
  return fitted;
}

bool Preprocessor::takes_numbers() const {
  return std::ranges::all_of(inputs_, [](const ColumnEncoding& input) {
    return input.raw == ColumnType::numeric && input.encoded == ColumnType::numeric && !input.indicator;
  });
}

void Preprocessor::check_numbers(std::size_t columns) const {
  const auto text = std::ranges::find_if(inputs_, [](const ColumnEncoding& input) {
    return input.raw != ColumnType::numeric || input.encoded != ColumnType::numeric || input.indicator;
  });
  if (text != inputs_.end())
    throw DataError({"numbers"},
                    fmt::format("column '{}' was encoded from categories or missing values; give a "
                                "table with the columns of the training",
                                text->name));
  if (columns != inputs_.size())
    throw DataError({"numbers"},
                    fmt::format("the rows have {} columns where the model has {}", columns, inputs_.size()));
}

void Preprocessor::apply_inputs(ConstMatrix raw, Matrix scaled) const {
  for (std::size_t row = 0; row < raw.rows(); ++row) scale(inputs_, raw.row(row), scaled.row(row));
}

Dataset Preprocessor::apply(const NumericRows& numbers, std::span<const std::size_t> rows) const {
  check_sizes(numbers);
  check_numbers(numbers.inputs.columns());
  if (numbers.targets.columns() != outputs())
    throw DataError({"numbers"}, fmt::format("the rows have {} targets where the model has {}",
                                             numbers.targets.columns(), outputs()));
  Dataset data(rows.size(), inputs_.size(), outputs());
  data.layout.expand = expand_inputs_;
  for (std::size_t k = 0; k < inputs_.size(); ++k)
    for (std::size_t i = 0; i < rows.size(); ++i)
      data.x(i, k) = inputs_[k].scale.apply(numbers.inputs(rows[i], k));
  for (std::size_t i = 0; i < rows.size(); ++i)
    scale(target_.columns(), numbers.targets.row(rows[i]), data.y().row(i));
  if (!numbers.weights.empty())
    for (const std::size_t row : rows) data.weights.push_back(numbers.weights[row]);
  return data;
}

}  // namespace strata
