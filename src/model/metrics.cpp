#include "strata/model/metrics.h"

#include <fmt/format.h>

#include <algorithm>
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

constexpr std::size_t task_rows = 512;

// The weighted sum of numbers, without rounding; infinite where one of them is.
class Total {
 public:
  void add(double number, double weight) {
    if (const double term = weight * number; std::isfinite(term))
      sum_.add(term);
    else
      overflow_ = true;
  }
  void add(const Total& other) {
    sum_ += other.sum_;
    overflow_ = overflow_ || other.overflow_;
  }
  [[nodiscard]] double value() const {
    return overflow_ ? std::numeric_limits<double>::infinity() : sum_.value();
  }

 private:
  ExactSum sum_;
  bool overflow_ = false;
};

struct Sums {
  Total weights, scaled_squares;
  void add(const Sums& other) {
    weights.add(other.weights);
    scaled_squares.add(other.scaled_squares);
  }
};

// Of one target, in its own units.
struct TargetSums {
  Total squares, absolute, targets;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  void add(double prediction, double target, double weight) {
    const double error = prediction - target;
    squares.add(error * error, weight);
    absolute.add(std::abs(error), weight);
    targets.add(target, weight);
    low = std::min(low, target);
    high = std::max(high, target);
  }
  void add(const TargetSums& other) {
    squares.add(other.squares);
    absolute.add(other.absolute);
    targets.add(other.targets);
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

// What every worker has added up, then every process. Exact sums: the parts do not matter.
template <class Part>
Part total(std::span<const Part> of_workers, Communicator& processes) {
  Part own;
  for (const Part& part : of_workers) own.add(part);
  if (processes.alone()) return own;
  Part all;
  for (const Part& part : all_gather(processes, own)) all.add(part);
  return all;
}

// Rows of the data that count, task by task: add(row, weight, worker).
template <class Add>
void over_rows(const Dataset& data, ThreadPool& pool, const Add& add) {
  pool.run((data.rows + task_rows - 1) / task_rows, [&](std::size_t task, std::size_t worker) {
    const std::size_t end = std::min(data.rows, (task + 1) * task_rows);
    for (std::size_t row = task * task_rows; row < end; ++row)
      if (const double weight = data.weights.empty() ? 1 : data.weights[row]; weight != 0)
        add(row, weight, worker);
  });
}

// Predictions of all rows, scaled as the targets are.
Vector predictions_of(const Network& network, const Dataset& data, ThreadPool& pool) {
  Vector outputs(data.rows * data.outputs);
  const Matrix all(outputs.data(), data.rows, data.outputs);
  pool.run((data.rows + task_rows - 1) / task_rows, [&](std::size_t task, std::size_t /*worker*/) {
    const std::size_t first = task * task_rows;
    const std::size_t rows = std::min(task_rows, data.rows - first);
    network.predict({data.x().row(first).data(), rows, data.features},
                    {all.row(first).data(), rows, data.outputs});
  });
  return outputs;
}

}  // namespace

Metrics evaluate(const Network& network, const Preprocessor& preprocessor, const Dataset& scaled,
                 Engine& engine) {
  check(network, preprocessor, scaled);
  ThreadPool& pool = engine.threads();
  const Vector outputs = predictions_of(network, scaled, pool);
  const ConstMatrix predictions(outputs.data(), scaled.rows, scaled.outputs);

  std::vector<Sums> parts(pool.threads());
  over_rows(scaled, pool, [&](std::size_t row, double weight, std::size_t worker) {
    parts[worker].weights.add(1, weight);
    for (std::size_t k = 0; k < scaled.outputs; ++k) {
      const double error = predictions(row, k) - scaled.y()(row, k);
      parts[worker].scaled_squares.add(error * error, weight);
    }
  });
  const Sums sums = total<Sums>(parts, engine.processes());
  const double weights = sums.weights.value();
  Metrics metrics{.rows = scaled.all_rows(), .mse = sums.scaled_squares.value() / weights};

  for (std::size_t k = 0; k < scaled.outputs; ++k) {
    const auto own = [&](ConstMatrix values, std::size_t row) {
      return preprocessor.to_own_units(values(row, k), k);
    };
    std::vector<TargetSums> targets(pool.threads());
    over_rows(scaled, pool, [&](std::size_t row, double weight, std::size_t worker) {
      targets[worker].add(own(predictions, row), own(scaled.y(), row), weight);
    });
    const TargetSums target = total<TargetSums>(targets, engine.processes());
    const double mean = target.targets.value() / weights;
    std::vector<Total> deviations(pool.threads());
    over_rows(scaled, pool, [&](std::size_t row, double weight, std::size_t worker) {
      const double deviation = own(scaled.y(), row) - mean;
      deviations[worker].add(deviation * deviation, weight);
    });
    const double spread = total<Total>(deviations, engine.processes()).value();
    metrics.rmse.push_back(std::sqrt(target.squares.value() / weights));
    metrics.mae.push_back(target.absolute.value() / weights);
    metrics.r2.push_back(target.low == target.high ? std::numeric_limits<double>::quiet_NaN()
                                                   : 1 - target.squares.value() / spread);
  }
  return metrics;
}

Metrics evaluate(const Model& model, const Table& table, Engine& engine) {
  return evaluate(model.network, model.preprocessor, model.preprocessor.apply(table), engine);
}

Metrics evaluate_file(const Model& model, const std::filesystem::path& path, Engine& engine) {
  return evaluate(model, read_model_columns(model.preprocessor, path, true), engine);
}

}  // namespace strata
