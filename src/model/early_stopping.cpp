#include "model/early_stopping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/evaluation_set.h"
#include "strata/core/errors.h"
#include "strata/core/option_text.h"
#include "strata/trainers/records.h"

namespace strata {

namespace {

std::vector<std::string_view> metrics_of(const Model& model) {
  const std::size_t classes = model.preprocessor.classes().size();
  if (classes > 0) return {"loss", "log_loss", "accuracy", "balanced_accuracy", "auc"};
  std::vector<std::string_view> names{"loss", "rmse", "mae", "r2"};
  if (model.loss.name == "poisson") names.emplace_back("deviance");
  if (model.loss.name == "quantile") names.emplace_back("pinball");
  return names;
}

bool is_better_high(std::string_view metric) {
  return metric == "accuracy" || metric == "balanced_accuracy" || metric == "auc" || metric == "r2";
}

}  // namespace

std::function<double(const Network&)> early_stopping_error(std::string_view metric, const Model& model,
                                                           const PackedRows& validation,
                                                           std::span<const double> class_factors) {
  const std::vector<std::string_view> known = metrics_of(model);
  if (std::ranges::find(known, metric) == known.end())
    throw InvalidOption(option_name("early-stopping-metric"), metric,
                        fmt::format("use one of {}", fmt::join(known, ", ")));
  if (metric == "loss") return {};
  return [name = std::string(metric), &model, &validation, class_factors](const Network& network) {
    const Metrics found =
        evaluate(model, EvaluationSets{{std::span(&network, 1), &validation}}, class_factors);
    for (const Figure& figure : figures(found))
      if (figure.name == name) {
        const double mean = figure.mean();
        return is_better_high(name) ? -mean : mean;
      }
    return not_measured;  // auc of rows of one class
  };
}

}  // namespace strata
