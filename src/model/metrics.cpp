#include "strata/model/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/columns.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

void check(const Network& network, const Preprocessor& preprocessor, const Dataset& data) {
  const Architecture& architecture = network.architecture();
  if (data.rows == 0) throw DataError({"evaluation"}, "there is no row to evaluate on; give at least one");
  if (data.features != architecture.inputs || data.outputs != architecture.outputs ||
      preprocessor.outputs() != architecture.outputs)
    throw DataError(
        {"evaluation"},
        fmt::format("the rows have {} inputs and {} targets where the network has {} and {}; encode "
                    "them with the preprocessor of the network",
                    data.features, data.outputs, architecture.inputs, architecture.outputs));
}

double mean(const Vector& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Column k in the target's own units.
Vector own_units(ConstMatrix scaled, std::size_t k, const Preprocessor& preprocessor) {
  Vector values(scaled.rows());
  for (std::size_t row = 0; row < values.size(); ++row)
    values[row] = preprocessor.to_own_units(scaled(row, k), k);
  return values;
}

// Whether all are equal is decided on the values: the rounded mean of a constant leaves a tiny, false deviation.
double r_squared(double squared_errors, const Vector& targets) {
  const auto [low, high] = std::minmax_element(targets.begin(), targets.end());
  if (*low == *high) return std::numeric_limits<double>::quiet_NaN();
  const double centre = mean(targets);
  double squares = 0;
  for (const double target : targets) squares += (target - centre) * (target - centre);
  return 1 - squared_errors / squares;
}

void add_target(Metrics& metrics, const Vector& predictions, const Vector& targets) {
  double squares = 0;
  double absolute = 0;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const double error = predictions[row] - targets[row];
    squares += error * error;
    absolute += std::abs(error);
  }
  const auto rows = static_cast<double>(targets.size());
  metrics.rmse.push_back(std::sqrt(squares / rows));
  metrics.mae.push_back(absolute / rows);
  metrics.r2.push_back(r_squared(squares, targets));
}

}  // namespace

Metrics evaluate(const Network& network, const Preprocessor& preprocessor, const Dataset& scaled) {
  check(network, preprocessor, scaled);
  Vector outputs(scaled.rows * scaled.outputs);
  const Matrix predictions(outputs.data(), scaled.rows, scaled.outputs);
  network.predict(scaled.x(), predictions);
  Metrics metrics{.rows = scaled.rows};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double error = outputs[i] - scaled.targets[i];
    metrics.mse += error * error;
  }
  metrics.mse /= static_cast<double>(scaled.rows);
  for (std::size_t k = 0; k < scaled.outputs; ++k)
    add_target(metrics, own_units(predictions, k, preprocessor), own_units(scaled.y(), k, preprocessor));
  return metrics;
}

Metrics evaluate(const Model& model, const Table& table) {
  return evaluate(model.network, model.preprocessor, model.preprocessor.apply(table));
}

Metrics evaluate_file(const Model& model, const std::filesystem::path& path) {
  return evaluate(model, read_model_columns(model.preprocessor, path, true));
}

}  // namespace strata
