#include "strata/model/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "model/class_metrics.h"
#include "model/evaluation_set.h"
#include "model/response.h"
#include "model/totals.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

void check(const Model& model, std::size_t features, std::size_t targets) {
  const Architecture& architecture = model.architecture();
  const std::size_t wanted = model.preprocessor.outputs();
  if (features != architecture.inputs || targets != wanted ||
      model.loss.make()->outputs(wanted) != architecture.outputs)
    throw DataError(
        {"evaluation"},
        fmt::format("the rows have {} inputs and {} targets where the network has {} and {}; encode "
                    "them with the preprocessor of the network",
                    features, targets, architecture.inputs, wanted));
}

double pinball(double level, double error) { return error >= 0 ? level * error : (level - 1) * error; }

// 2 (y log(y / mean) - y + mean)
double deviance(double y, double mean) { return 2 * ((y > 0 ? y * std::log(y / mean) : 0) - y + mean); }

std::size_t nearest_to_median(const std::vector<double>& levels) {
  const auto distance = [](double level) { return std::abs(level - 0.5); };
  return static_cast<std::size_t>(std::ranges::min_element(levels, {}, distance) - levels.begin());
}

// The figures of a regression, target by target.
class TargetMetrics {
 public:
  TargetMetrics(const Model& model, const EvaluationSets& sets)
      : model_(model),
        response_(model),
        sets_(sets),
        engine_(sets.front().rows->engine()),
        counts_(model.loss.name == "poisson") {
    if (model.loss.name == "quantile") levels_ = model.loss.options.levels;
    point_ = levels_.empty() ? 0 : nearest_to_median(levels_);
  }

  void add_to(Metrics& metrics) const {
    Totals sums(targets() * width(), engine_);
    Totals losses(1, engine_);
    std::vector ranges(engine_.threads().threads(), std::vector<Range>(targets()));
    const auto add = [&](const EvaluatedRow& row) {
      losses.add(0, row.loss, row.weight, row.worker);
      for (std::size_t t = 0; t < targets(); ++t) {
        ranges[row.worker][t].add(own_units(row.targets[t], t));
        add_row(row, t, sums);
      }
    };
    for (const EvaluationSet& set : sets_) over_rows(response_, set, {}, add);
    std::vector<double> means = sums.values();
    const double total = means[weights];
    for (double& mean : means) mean /= total;
    metrics.loss = losses.values().front() / total;
    for (std::size_t t = 0; t < targets(); ++t)
      add_target(t, means.data() + t * width(), all_the_same(ranges, t), metrics);
    // The squared loss has it without the rounding of units to and fro.
    if (model_.loss.name == "squared") metrics.mse = metrics.loss;
  }

 private:
  enum Sum : std::size_t { weights, squares, absolute, scaled_squares, values, deviances, of_levels };

  struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    void add(double y) {
      low = std::min(low, y);
      high = std::max(high, y);
    }
    void add(const Range& other) {
      low = std::min(low, other.low);
      high = std::max(high, other.high);
    }
  };

  [[nodiscard]] std::size_t targets() const { return sets_.front().rows->outputs(); }
  [[nodiscard]] std::size_t width() const { return of_levels + 2 * levels_.size(); }
  [[nodiscard]] double own_units(double scaled, std::size_t t) const {
    return model_.preprocessor.target().to_own_units(scaled, t);
  }

  void add_row(const EvaluatedRow& row, std::size_t t, Totals& sums) const {
    const auto add = [&](std::size_t which, double number) {
      sums.add(t * width() + which, number, row.weight, row.worker);
    };
    const auto found = row.predictions.subspan(t * std::max<std::size_t>(1, levels_.size()));
    const double y = own_units(row.targets[t], t);
    const double error = found[point_] - y;
    const double scaled = model_.preprocessor.target().to_scaled(found[point_], t) - row.targets[t];
    add(weights, 1);
    add(squares, error * error);
    add(absolute, std::abs(error));
    add(scaled_squares, scaled * scaled);
    add(values, y);
    if (counts_) add(deviances, deviance(y, found[0]));
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      add(of_levels + 2 * k, pinball(levels_[k], y - found[k]));
      add(of_levels + 2 * k + 1, y <= found[k] ? 1 : 0);
    }
  }

  void add_target(std::size_t t, const double* means, bool constant, Metrics& metrics) const {
    metrics.mse += means[scaled_squares];
    metrics.rmse.push_back(std::sqrt(means[squares]));
    metrics.mae.push_back(means[absolute]);
    metrics.r2.push_back(constant ? std::numeric_limits<double>::quiet_NaN()
                                  : 1 - means[squares] / variance(t, means[values]));
    if (counts_) metrics.deviance.push_back(means[deviances]);
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      metrics.pinball.push_back(means[of_levels + 2 * k]);
      metrics.coverage.push_back(means[of_levels + 2 * k + 1]);
    }
  }

  [[nodiscard]] bool all_the_same(const std::vector<std::vector<Range>>& of_workers, std::size_t t) const {
    Range own;
    for (const auto& part : of_workers) own.add(part[t]);
    Range all;
    for (const Range& part : all_gather(engine_.processes(), own)) all.add(part);
    return all.low == all.high;
  }

  [[nodiscard]] double variance(std::size_t t, double mean) const {
    Totals sums(2, engine_);
    for (const EvaluationSet& set : sets_) {
      const PackedRows& rows = *set.rows;
      const auto panels = rows.own_panels();
      engine_.threads().run(panels.size(), [&](std::size_t i, std::size_t worker) {
        const auto row_weights = rows.weights(panels[i]);
        for (std::size_t j = 0; j < rows.samples(panels[i]); ++j) {
          const double weight = row_weights.empty() ? 1 : row_weights[j];
          if (weight == 0) continue;
          const double deviation = own_units(rows.targets(panels[i])(t, j), t) - mean;
          sums.add(0, 1, weight, worker);
          sums.add(1, deviation * deviation, weight, worker);
        }
      });
    }
    const std::vector<double> all = sums.values();
    return all[1] / all[0];
  }

  const Model& model_;
  Response response_;
  const EvaluationSets& sets_;
  Engine& engine_;
  bool counts_;                 // poisson
  std::vector<double> levels_;  // of quantiles; empty for other losses
  std::size_t point_ = 0;       // which of them is the point prediction
};

}  // namespace

Dataset rows_to_evaluate(const Preprocessor& preprocessor, const Table& table) {
  Dataset scaled = preprocessor.apply(table);
  if (scaled.all_rows() == 0)
    throw DataError({table.file}, "there are no complete rows to evaluate on; give at least one");
  return scaled;
}

Metrics evaluate(const Model& model, const PackedRows& rows, std::span<const double> class_factors) {
  return evaluate(model, EvaluationSets{{model.networks, &rows}}, class_factors);
}

Metrics evaluate(const Model& model, const EvaluationSets& sets, std::span<const double> class_factors) {
  Metrics metrics;
  for (const EvaluationSet& set : sets) {
    check(model, set.rows->features(), set.rows->outputs());
    metrics.rows += set.rows->rows();
  }
  if (model.preprocessor.classes().empty()) {
    TargetMetrics(model, sets).add_to(metrics);
  } else {
    metrics.classes = class_metrics(model, sets, class_factors);
    metrics.loss = metrics.classes->log_loss;
  }
  return metrics;
}

Metrics evaluate(const Model& model, const Dataset& scaled, Engine& engine) {
  if (scaled.all_rows() == 0)
    throw DataError({"evaluation"}, "there is no row to evaluate on; give at least one");
  check(model, scaled.features(), scaled.outputs);
  return evaluate(model, PackedRows(scaled, engine));
}

Metrics evaluate(const Model& model, const Table& table, Engine& engine) {
  return evaluate(model, rows_to_evaluate(model.preprocessor, table), engine);
}

Metrics evaluate_file(const Model& model, const std::filesystem::path& path, Engine& engine,
                      const NewRows& how) {
  const Table rows = read_table(path, reading_with_targets(model, how));
  return evaluate(model, rows_to_evaluate(treated(model.preprocessor, how), rows), engine);
}

double Figure::mean() const {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<Figure> figures(const Metrics& metrics) {
  std::vector<Figure> found;
  if (metrics.classes) {
    const ClassMetrics& classes = *metrics.classes;
    found = {{"log_loss", "log-loss", {classes.log_loss}},
             {"accuracy", "accuracy", {classes.accuracy}},
             {"balanced_accuracy", "balanced", {classes.balanced_accuracy}}};
    if (!std::isnan(classes.auc)) found.push_back({"auc", "AUC", {classes.auc}});
    found.push_back({"calibration_error", "ECE", {classes.calibration_error}});
    return found;
  }
  if (!metrics.deviance.empty()) found.push_back({"deviance", "deviance", metrics.deviance});
  found.push_back({"rmse", "RMSE", metrics.rmse});
  found.push_back({"mae", "MAE", metrics.mae});
  found.push_back({"r2", "R2", metrics.r2});
  if (!metrics.pinball.empty()) found.push_back({"pinball", "pinball", metrics.pinball});
  if (!metrics.coverage.empty()) found.push_back({"coverage", "coverage", metrics.coverage});
  return found;
}

}  // namespace strata
