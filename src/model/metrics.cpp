#include "strata/model/metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

#include "model/columns.h"
#include "strata/core/errors.h"
#include "strata/core/exact_sum.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

void check(const Network& network, const Preprocessor& preprocessor, const Dataset& data) {
  const Architecture& architecture = network.architecture();
  if (data.all_rows() == 0)
    throw DataError({"evaluation"}, "there is no row to evaluate on; give at least one");
  if (data.features != architecture.inputs || data.outputs != architecture.outputs ||
      preprocessor.outputs() != architecture.outputs)
    throw DataError(
        {"evaluation"},
        fmt::format("the rows have {} inputs and {} targets where the network has {} and {}; encode "
                    "them with the preprocessor of the network",
                    data.features, data.outputs, architecture.inputs, architecture.outputs));
}

// Column k in the target's own units.
Vector own_units(ConstMatrix scaled, std::size_t k, const Preprocessor& preprocessor) {
  Vector values(scaled.rows());
  for (std::size_t row = 0; row < values.size(); ++row)
    values[row] = preprocessor.to_own_units(scaled(row, k), k);
  return values;
}

struct Errors {
  ExactSum squares;
  ExactSum absolute;
  void add(double error) {
    if (!std::isfinite(error * error)) {
      overflow = true;
      return;
    }
    squares.add(error * error);
    absolute.add(std::abs(error));
  }
  void add(const Errors& other) {
    squares += other.squares;
    absolute += other.absolute;
    overflow = overflow || other.overflow;
  }
  bool overflow = false;
};

Errors errors_of(std::span<const double> predictions, std::span<const double> targets,
                 Communicator& processes) {
  Errors own;
  for (std::size_t i = 0; i < targets.size(); ++i) own.add(predictions[i] - targets[i]);
  if (processes.alone()) return own;
  Errors all;
  for (const Errors& part : all_gather(processes, own)) all.add(part);
  return all;
}

double mean(const ExactSum& sum, bool overflow, std::size_t rows) {
  return overflow ? std::numeric_limits<double>::infinity() : sum.value() / static_cast<double>(rows);
}

void add_target(Metrics& metrics, const Vector& predictions, const Vector& targets, Communicator& processes) {
  const Errors errors = errors_of(predictions, targets, processes);
  const double mean_square = mean(errors.squares, errors.overflow, metrics.rows);
  metrics.rmse.push_back(std::sqrt(mean_square));
  metrics.mae.push_back(mean(errors.absolute, errors.overflow, metrics.rows));
  const NumberSummary spread = summarise(targets, {}, processes);
  metrics.r2.push_back(spread.low == spread.high ? std::numeric_limits<double>::quiet_NaN()
                                                 : 1 - mean_square / (spread.deviation * spread.deviation));
}

}  // namespace

Metrics evaluate(const Network& network, const Preprocessor& preprocessor, const Dataset& scaled,
                 Communicator& processes) {
  check(network, preprocessor, scaled);
  Vector outputs(scaled.rows * scaled.outputs);
  const Matrix predictions(outputs.data(), scaled.rows, scaled.outputs);
  network.predict(scaled.x(), predictions);
  Metrics metrics{.rows = scaled.all_rows()};
  const Errors errors = errors_of(outputs, scaled.targets, processes);
  metrics.mse = mean(errors.squares, errors.overflow, metrics.rows);
  for (std::size_t k = 0; k < scaled.outputs; ++k)
    add_target(metrics, own_units(predictions, k, preprocessor), own_units(scaled.y(), k, preprocessor),
               processes);
  return metrics;
}

Metrics evaluate(const Model& model, const Table& table) {
  return evaluate(model.network, model.preprocessor, model.preprocessor.apply(table));
}

Metrics evaluate_file(const Model& model, const std::filesystem::path& path) {
  return evaluate(model, read_model_columns(model.preprocessor, path, true));
}

}  // namespace strata
