#include "report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "strata/core/printable.h"
#include "terminal.h"

namespace app {

namespace {

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string sentence(const strata::TrainingResult& training, std::size_t members) {
  using strata::StopReason;
  switch (training.reason) {
    case StopReason::gradient_tolerance: return "the gradient is within its tolerance";
    case StopReason::relative_decrease: return "the objective has stopped decreasing";
    case StopReason::solved: return "the minimum is reached";
    case StopReason::objective_at_most: return "the objective is as low as requested";
    case StopReason::max_iterations:
    case StopReason::max_sweeps: return "the limit on sweeps is reached";
    case StopReason::max_evaluations: return "the limit on evaluations is reached";
    case StopReason::time_limit: return "the time limit is reached";
    case StopReason::early_stopping:
      if (members > 1) return "no member's validation error improves any more";
      return fmt::format("no improvement of the validation error for {}",
                         counted(training.sweeps - training.best_sweep, "sweep"));
    case StopReason::user_request: return "interrupted";
    case StopReason::line_search_failed: return "no layer can be improved further";
    case StopReason::non_finite: return "the numbers are no longer finite; try another scale, method or rate";
  }
  return "";
}

// Names of the rows of a set: none, the targets, or the levels of quantiles.
std::vector<std::string> row_names(const strata::Model& model) {
  if (!model.preprocessor.classes().empty()) return {""};
  const std::vector<std::string> targets = model.preprocessor.target_names();
  std::vector<std::string> names;
  for (const std::string& target : targets) {
    const std::string name = targets.size() == 1 ? "" : ", " + target;
    if (model.loss.name != "quantile") {
      names.push_back(name);
      continue;
    }
    for (const double level : model.loss.options.levels) names.push_back(fmt::format("{}, q{}", name, level));
  }
  return names;
}

// Errors in units of the target have significant digits, shares and the like decimals.
bool has_units(const strata::Figure& figure) {
  return figure.name == "rmse" || figure.name == "mae" || figure.name == "pinball" ||
         figure.name == "deviance";
}

std::string title(const strata::Figure& figure) {
  return has_units(figure) ? fmt::format(" {:>12}", figure.title) : fmt::format(" {:>9}", figure.title);
}

// A figure has a value for each row, or one for each target, told in the first of its rows.
std::string cell(const strata::Figure& figure, std::size_t row, std::size_t rows) {
  const std::size_t each = std::max<std::size_t>(1, rows / figure.values.size());
  if (row % each != 0) return std::string(title(figure).size(), ' ');
  const double value = figure.values[row / each];
  return has_units(figure) ? fmt::format(" {:>12.5g}", value) : fmt::format(" {:>9.4f}", value);
}

std::string confusion_table(const NamedMetrics& set, const std::vector<std::string>& classes) {
  constexpr std::size_t most = 10;
  if (classes.size() > most) return "";
  std::string out = fmt::format("{:<24}", fmt::format("{}, predicted as", strata::printable(set.name)));
  for (const std::string& label : classes) out += fmt::format(" {:>10.10}", strata::printable(label));
  out = paint_result(Paint::heading, out) + "\n";
  for (std::size_t i = 0; i < classes.size(); ++i) {
    out += fmt::format("  {:<22.22}", strata::printable(classes[i]));
    for (std::size_t j = 0; j < classes.size(); ++j)
      out += fmt::format(" {:>10}", set.metrics->classes->confusion[i * classes.size() + j]);
    out += '\n';
  }
  return out;
}

// Validation rows of one member have trained the others.
std::string out_of_fold_note(const strata::FitResult& result) {
  if (!result.out_of_fold()) return "";
  return "validation: each member on the rows that it did not train on; the model predicts their mean\n";
}

std::string calibration(const strata::FitResult& result) {
  if (!result.calibration) return "";
  return fmt::format("calibration error of the {} set: {:.4f}, {:.4f} before its temperature of {:.3g}\n",
                     result.calibration->set, result.calibration->error_after,
                     result.calibration->error_before, result.model.temperature);
}

std::string members_text(const strata::FitResult& result) {
  const std::size_t trained = result.trained_members;
  if (trained == 1) return "";
  const std::size_t kept = result.model.networks.size();
  return fmt::format(" of {} members{}", trained, kept < trained ? fmt::format(", {} kept,", kept) : "");
}

}  // namespace

std::string class_sentence(const strata::Preprocessor& preprocessor) {
  constexpr std::size_t most = 12;
  const std::vector<std::string> classes = preprocessor.classes();
  std::vector<std::string> first;
  for (std::size_t k = 0; k < std::min(most, classes.size()); ++k)
    first.push_back(strata::printable(classes[k]));
  return fmt::format("classification of {}: {}{}", strata::printable(preprocessor.target_names().front()),
                     fmt::join(first, ", "),
                     classes.size() > most ? fmt::format(", ... ({} classes)", classes.size()) : "");
}

std::string error_table(const std::vector<NamedMetrics>& sets, const strata::Model& model) {
  const std::vector<std::string> names = row_names(model);
  const std::vector<std::string> targets = model.preprocessor.target_names();
  const std::string target = targets.size() == 1 ? strata::printable(targets.front()) : "the targets";
  std::string out = fmt::format("{:<24} {:>9}", "errors of " + target, "rows");
  for (const strata::Figure& figure : figures(*sets.front().metrics)) out += title(figure);
  out = paint_result(Paint::heading, out) + "\n";
  const NamedMetrics* last = nullptr;
  for (const NamedMetrics& set : sets) {
    if (set.metrics == nullptr) continue;
    last = &set;
    for (std::size_t row = 0; row < names.size(); ++row) {
      out += fmt::format("{:<24} {:>9}", "  " + strata::printable(set.name + names[row]), set.metrics->rows);
      for (const strata::Figure& figure : figures(*set.metrics)) out += cell(figure, row, names.size());
      out += '\n';
    }
  }
  if (last->metrics->classes) out += confusion_table(*last, model.preprocessor.classes());
  return out;
}

std::string summary(const strata::FitResult& result, const std::string& model) {
  const strata::TrainingResult& training = result.training;
  const auto set = [](const auto& metrics) { return metrics ? &*metrics : nullptr; };
  return fmt::format("stopped after {}{} and {:.1f} s: {}\n", counted(training.sweeps, "sweep"),
                     members_text(result), training.seconds, sentence(training, result.trained_members)) +
         error_table({{"training", &result.train},
                      {"validation", set(result.validation)},
                      {"test", set(result.test)}},
                     result.model) +
         out_of_fold_note(result) + calibration(result) + "model: " + model + "\n";
}

}  // namespace app
