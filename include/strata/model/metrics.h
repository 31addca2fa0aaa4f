#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "strata/data/dataset.h"
#include "strata/data/table.h"
#include "strata/model/model.h"
#include "strata/model/predict.h"
#include "strata/objective/packed_rows.h"
#include "strata/parallel/engine.h"

namespace strata {

// How good the probabilities and labels of a classification are.
struct ClassMetrics {
  double log_loss = 0;           // mean of -log(probability of the row's class)
  double accuracy = 0;           // share of rows whose most probable class is theirs
  double balanced_accuracy = 0;  // mean over the classes of that share among their rows
  // Area under the receiver operating characteristic; of more than two classes the mean of those of each class against all
  // others. NaN where there is only one class.
  double auc = 0;
  double calibration_error = 0;  // expected calibration error of the most probable class, in 15 bins
  std::vector<std::size_t> confusion = {};  // rows of class i predicted as j, at i * classes + j
  [[nodiscard]] std::vector<std::vector<std::size_t>> confusion_rows() const;  // the same, a list for each i
};

// How far predictions are from targets. A two-valued text target of a regression counts as 0 or 1; the point prediction
// of several quantiles is the one nearest to the median. Where rows have weights, all means are weighted, as the training
// loss is; rows of weight 0 do not count.
struct Metrics {
  std::size_t rows = 0;
  double loss = 0;  // mean over rows of what training makes small, without the regulariser
  std::optional<ClassMetrics> classes = {};  // of a classification, which has none of the following
  // Scaled units: mean over rows of the squared error summed over targets.
  double mse = 0;
  // The following have one entry for each target, in its own units.
  std::vector<double> rmse = {};
  std::vector<double> mae = {};
  // 1 - squared error / squared deviation from the rows' mean; NaN (JSON: null) when all rows have the same target.
  std::vector<double> r2 = {};
  std::vector<double> deviance = {};  // poisson: mean deviance
  // quantile: an entry for each level of each target, in its own units.
  std::vector<double> pinball = {};   // mean pinball loss
  std::vector<double> coverage = {};  // share of rows whose target is at or below the quantile
};

// What there is to report of these, in a good order.
struct Figure {
  std::string_view name;              // log_loss, rmse, ...
  std::string_view title;             // log-loss, RMSE, ...
  std::vector<double> values;         // one, or one for each target or level
  [[nodiscard]] double mean() const;  // of the values
};
std::vector<Figure> figures(const Metrics& metrics);

// `scaled` holds rows as the preprocessor makes them, inputs and targets. Refuses an empty set, and one of other sizes.
// Processes that share the rows call together. Sums are exact until rounded once: the order of the rows does not matter.
Metrics evaluate(const Model& model, const Dataset& scaled, Engine& engine = serial_engine());
// The same for rows that are packed, on their engine. class_factors: of each class in the weights of the rows, which do not
// count here.
Metrics evaluate(const Model& model, const PackedRows& scaled, std::span<const double> class_factors = {});

// The rows of a table with the model's columns, targets included, as they stand in a file.
Metrics evaluate(const Model& model, const Table& table, Engine& engine = serial_engine());

// A file that read_table knows, or - for standard input, read as the training file was, but for what `how` says:
// columns the model does not have are not looked at.
Metrics evaluate_file(const Model& model, const std::filesystem::path& path, Engine& engine = serial_engine(),
                      const NewRows& how = {});

}  // namespace strata
