#include "training_report.h"

#include <fmt/format.h>

#include "study/report.h"

namespace app {

namespace {

strata::ReportRows rows_of_file(const strata::Model& model, const std::filesystem::path& file) {
  return {.table = strata::read_table(file, model.preprocessor.read_options(true)), .name = file.string()};
}

strata::ReportRows rows_that_did_not_train(const strata::Table& table, const std::string& name,
                                           const strata::FitOptions& options,
                                           const strata::FitResult& result) {
  const strata::Preprocessor& preprocessor = result.model.preprocessor;
  const strata::RowSplit split = split_rows(table, options);
  const auto part = [&](const std::vector<std::size_t>& rows, std::string_view which) -> strata::ReportRows {
    return {.table = take_rows(table, preprocessor.usable_rows(table, rows, true)),
            .name = fmt::format("{}: {}", name, which)};
  };
  if (!options.test.file.empty()) return rows_of_file(result.model, options.test.file);
  if (!split.test.empty()) return part(split.test, "its test rows");
  if (result.out_of_fold()) {
    const std::vector<std::size_t> training = preprocessor.usable_rows(table, split.train, true);
    std::vector<std::size_t> held_out;
    std::vector<strata::ReportRows::Part> parts;
    for (const strata::Fold& fold : result.folds) {
      for (const std::size_t row : fold.rows) held_out.push_back(training[row]);
      parts.push_back({.rows = fold.rows.size(), .networks = fold.networks});
    }
    return {.table = take_rows(table, held_out),
            .name = fmt::format(
                "{}: its validation rows, each predicted by the members that did not train on it", name),
            .parts = parts,
            .metrics = result.validation};
  }
  if (!options.validation.file.empty()) return rows_of_file(result.model, options.validation.file);
  if (!split.validation.empty()) return part(split.validation, "its validation rows");
  return part(split.train, "the training rows, as there are no others; errors on new rows are larger");
}

}  // namespace

std::string training_report(const strata::Table& table, const std::string& name,
                            const strata::FitOptions& options, const strata::FitResult& result,
                            strata::Engine& engine) {
  return strata::model_report(result.model, rows_that_did_not_train(table, name, options, result), engine);
}

}  // namespace app
