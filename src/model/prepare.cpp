// From a table to rows of each kind, encoded and scaled.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <numeric>
#include <utility>

#include "model/evaluation_set.h"
#include "strata/core/errors.h"
#include "strata/core/random.h"
#include "strata/core/suggestion.h"
#include "strata/data/shared_rows.h"
#include "strata/data/split.h"
#include "strata/model/fit.h"

namespace strata {

namespace {

// Labels of the random streams, apart from those of the trainer and of the members.
constexpr std::uint64_t test_stream = 11;
constexpr std::uint64_t validation_stream = 12;

const Column* column_at(const Table& table, std::string_view position) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(position.data(), position.data() + position.size(), number);
  if (error != std::errc() || end != position.data() + position.size()) return nullptr;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if ((table.columns[c].position > 0 ? table.columns[c].position : c + 1) == number)
      return &table.columns[c];
  return nullptr;
}

// Options whose targets are names of columns: a whole number that names none is the position of one.
FitOptions with_target_names(const FitOptions& options, const Table& table) {
  FitOptions named = options;
  for (std::string& target : named.preprocess.targets) {
    if (table.find(target)) continue;
    const Column* const column = column_at(table, target);
    if (column == nullptr)
      throw DataError({table.file},
                      fmt::format("there is no column '{}' to predict; its columns, nearest first: {}",
                                  target, fmt::join(nearest_first(target, table.names()), ", ")));
    target = column->name;
  }
  return named;
}

// Moves the held-out part of the rows out of them, class by class where there are classes.
std::vector<std::size_t> take_out(std::vector<std::size_t>& rows, const RowClasses& classes,
                                  std::string_view name, const Holdout& part, RandomStream stream) {
  if (part.fraction == 0) return {};
  const double held = part.fraction * static_cast<double>(rows.size());
  if (held < 0.5 || static_cast<double>(rows.size()) - held < 2)
    throw InvalidOption(
        name, fmt::format("{}", part.fraction),
        fmt::format("too few of {} rows would be left; use another fraction, 0 for none, or more rows",
                    rows.size()));
  Split split = classes.codes.empty() ? split_by_fraction(rows, part.fraction, stream)
                                      : split_by_class(rows, classes.codes, part.fraction, stream);
  rows = std::move(split.train);
  return std::move(split.test);
}

std::vector<std::size_t> every_row(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

// A file of held-out rows is read by every process, which keeps its part.
Dataset read_held_out(const Preprocessor& preprocessor, const Holdout& part, const Communicator& processes) {
  ReadOptions reading = preprocessor.read_options(true);
  if (!part.weight.empty()) reading.numeric.push_back(part.weight);
  Table table = read_table(part.file, reading);
  if (!part.weight.empty()) take_weights(table, part.weight);
  Dataset data = rows_to_evaluate(preprocessor, table);
  return processes.alone() ? data : share_rows(data, processes);
}

std::optional<Dataset> held_out_data(const Preprocessor& preprocessor, const RowSource& source,
                                     std::vector<std::size_t> rows, const Holdout& part) {
  if (!part.file.empty()) return read_held_out(preprocessor, part, source.processes());
  if (rows.empty()) return {};
  // A category may fall to the held-out part alone; that is no fault of the table.
  return source.encode(preprocessor.with_policies(preprocessor.missing(), UnseenPolicy::zeros),
                       std::move(rows));
}

// Members have validation rows of their own, unless they are given ones.
bool has_folds(const FitOptions& options, bool one_network) {
  return options.members > 1 && !one_network && options.validation.fraction > 0;
}

bool calls_for_one_network(const FitOptions& options, std::size_t rows) {
  return options.one_network_from > 0 && rows >= options.one_network_from;
}

// A sentence on the classes with a single row, which no split takes from the training rows; none without such.
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

RowSplit split(std::size_t count, const RowClasses& classes, const FitOptions& options,
               bool draws_validation) {
  const RandomStream random(options.seed);
  RowSplit split{.train = every_row(count)};
  split.test = take_out(split.train, classes, "test", options.test, random.split(test_stream));
  if (draws_validation && !has_folds(options, calls_for_one_network(options, count)))
    split.validation =
        take_out(split.train, classes, "validation", options.validation, random.split(validation_stream));
  return split;
}

FitData split_and_encode(const RowSource& source, const FitOptions& options, const PrepareInputs& inputs) {
  PreprocessOptions preprocess = preprocessing_for(options.loss, options.preprocess);
  if (options.knots > 0 && !options.hidden.empty()) preprocess.expand_inputs = false;
  if (options.loss == "poisson") source.refuse_negative_targets(preprocess, "the poisson loss");
  const RowClasses classes = source.classes(preprocess);
  auto [rows, validation, test] = split(source.rows(), classes, options, inputs.validation == nullptr);
  FitData data{.preprocessor = {}, .train = {}, .one_network = calls_for_one_network(options, source.rows())};
  data.preprocessor =
      inputs.preprocessor != nullptr ? *inputs.preprocessor : source.fit(rows, preprocess, data.notices);
  Preprocessor::from_json(data.preprocessor.to_json());  // what could not be saved is refused before training
  if (!test.empty() || !validation.empty() || has_folds(options, data.one_network))
    for (std::string& sentence : lonely_classes(classes)) data.notices.push_back(std::move(sentence));
  data.train = source.encode(data.preprocessor, std::move(rows));
  if (inputs.validation != nullptr)
    data.validation = inputs.validation->encode(data.preprocessor, every_row(inputs.validation->rows()));
  else
    data.validation = held_out_data(data.preprocessor, source, std::move(validation), options.validation);
  data.test = held_out_data(data.preprocessor, source, std::move(test), options.test);
  return data;
}

}  // namespace

FitData prepare(const RowSource& rows, const FitOptions& options, const PrepareInputs& inputs) {
  check(options);
  if (rows.table() == nullptr) return split_and_encode(rows, options, inputs);
  const Table& table = *rows.table();
  FitData data = split_and_encode(rows, with_target_names(options, table), inputs);
  data.notices.insert(data.notices.begin(), table.notices.begin(), table.notices.end());
  return data;
}

RowSplit split_rows(const Table& table, const FitOptions& options) {
  const FitOptions named = with_target_names(options, table);
  const RowSource source(table);
  return split(source.rows(), source.classes(preprocessing_for(named.loss, named.preprocess)), named, true);
}

}  // namespace strata
