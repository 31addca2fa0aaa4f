#include "report.h"

#include <fmt/format.h>

#include "terminal.h"

namespace app {

namespace {

std::string_view sentence(strata::StopReason reason) {
  using strata::StopReason;
  switch (reason) {
    case StopReason::gradient_tolerance: return "the gradient is as small as asked for";
    case StopReason::relative_decrease: return "the objective hardly falls any more";
    case StopReason::solved: return "the minimum is reached";
    case StopReason::target_value: return "the objective is as low as asked for";
    case StopReason::max_iterations:
    case StopReason::max_sweeps: return "the limit on sweeps is reached";
    case StopReason::max_evaluations: return "the limit on evaluations is reached";
    case StopReason::time_limit: return "the time is up";
    case StopReason::early_stopping: return "the validation error has not fallen for a while";
    case StopReason::user_request: return "interrupted";
    case StopReason::line_search_failed: return "no layer can be improved any further";
    case StopReason::non_finite: return "the numbers are no longer finite; try another scale, method or rate";
  }
  return "";
}

std::string row(const std::string& name, const strata::Metrics& metrics, std::size_t target) {
  return fmt::format("{:<24} {:>9} {:>12.5g} {:>12.5g} {:>9.4f}\n", name, metrics.rows, metrics.rmse[target],
                     metrics.mae[target], metrics.r2[target]);
}

}  // namespace

std::string error_table(const std::vector<NamedMetrics>& sets, const std::vector<std::string>& targets) {
  std::string out =
      paint_result(Paint::heading,
                   fmt::format("{:<24} {:>9} {:>12} {:>12} {:>9}",
                               "errors of " + (targets.size() == 1 ? targets.front() : "the targets"), "rows",
                               "RMSE", "MAE", "R2")) +
      "\n";
  for (const NamedMetrics& set : sets)
    for (std::size_t t = 0; set.metrics != nullptr && t < targets.size(); ++t)
      out += row("  " + set.name + (targets.size() == 1 ? "" : ", " + targets[t]), *set.metrics, t);
  return out;
}

std::string summary(const strata::FitResult& result, const std::string& model) {
  const strata::TrainingResult& training = result.training;
  const auto set = [](const auto& metrics) { return metrics ? &*metrics : nullptr; };
  return fmt::format("stopped after {} sweeps and {:.1f} s: {}\n", training.sweeps, training.seconds,
                     sentence(training.reason)) +
         error_table({{"training", &result.train},
                      {"validation", set(result.validation)},
                      {"test", set(result.test)}},
                     result.model.preprocessor.target_names()) +
         "model: " + model + "\n";
}

}  // namespace app
