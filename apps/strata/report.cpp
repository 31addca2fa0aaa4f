#include "report.h"

#include <fmt/format.h>

#include "strata/core/printable.h"
#include "terminal.h"

namespace app {

namespace {

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string sentence(const strata::TrainingResult& training) {
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
      return fmt::format("no improvement of the validation error for {}",
                         counted(training.sweeps - training.best_sweep, "sweep"));
    case StopReason::user_request: return "interrupted";
    case StopReason::line_search_failed: return "no layer can be improved further";
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
                               "errors of " +
                                   (targets.size() == 1 ? strata::printable(targets.front()) : "the targets"),
                               "rows", "RMSE", "MAE", "R2")) +
      "\n";
  for (const NamedMetrics& set : sets)
    for (std::size_t t = 0; set.metrics != nullptr && t < targets.size(); ++t)
      out += row("  " + strata::printable(set.name + (targets.size() == 1 ? "" : ", " + targets[t])),
                 *set.metrics, t);
  return out;
}

std::string summary(const strata::FitResult& result, const std::string& model) {
  const strata::TrainingResult& training = result.training;
  const auto set = [](const auto& metrics) { return metrics ? &*metrics : nullptr; };
  return fmt::format("stopped after {} and {:.1f} s: {}\n", counted(training.sweeps, "sweep"),
                     training.seconds, sentence(training)) +
         error_table({{"training", &result.train},
                      {"validation", set(result.validation)},
                      {"test", set(result.test)}},
                     result.model.preprocessor.target_names()) +
         "model: " + model + "\n";
}

}  // namespace app
