#include "strata/model/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "model/columns.h"
#include "network/panel_pass.h"
#include "strata/core/errors.h"
#include "strata/core/exact_sum.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

void check(const Network& network, const Preprocessor& preprocessor, std::size_t features,
           std::size_t outputs) {
  const Architecture& architecture = network.architecture();
  if (features != architecture.inputs || outputs != architecture.outputs ||
      preprocessor.outputs() != architecture.outputs)
    throw DataError(
        {"evaluation"},
        fmt::format("the rows have {} inputs and {} targets where the network has {} and {}; encode "
                    "them with the preprocessor of the network",
                    features, outputs, architecture.inputs, architecture.outputs));
}

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

// What one worker has added up.
struct Sums {
  Total weights = {}, squares = {}, deviations = {};
  std::vector<TargetSums> targets = {};
};

// Of all workers, then of all processes. Exact sums: the parts do not matter.
template <class Part, class PartOf>
Part total(const std::vector<Sums>& workers, Communicator& processes, const PartOf& part_of) {
  Part own;
  for (const Sums& worker : workers) own.add(part_of(worker));
  if (processes.alone()) return own;
  Part all;
  for (const Part& part : all_gather(processes, own)) all.add(part);
  return all;
}

// The rows of a panel that count: add(column, weight).
template <class Add>
void over_rows(const PackedRows& rows, std::size_t panel, const Add& add) {
  const std::span<const double> weights = rows.weights(panel);
  for (std::size_t j = 0; j < rows.samples(panel); ++j)
    if (const double weight = weights.empty() ? 1 : weights[j]; weight != 0) add(j, weight);
}

}  // namespace

Metrics evaluate(const Network& network, const Preprocessor& preprocessor, const PackedRows& rows) {
  check(network, preprocessor, rows.features(), rows.outputs());
  Engine& engine = rows.engine();
  const auto panels = rows.own_panels();
  const std::size_t outputs = rows.outputs();
  const auto own = [&](double scaled, std::size_t k) { return preprocessor.to_own_units(scaled, k); };

  std::vector<Sums> workers(engine.threads().threads(), {.targets = std::vector<TargetSums>(outputs)});
  std::vector<PanelPass> passes(workers.size(), PanelPass(network));
  engine.threads().run(panels.size(), [&](std::size_t i, std::size_t worker) {
    const ConstMatrix predicted = passes[worker].outputs(rows.inputs(panels[i]), rows.samples(panels[i]));
    const ConstMatrix targets = rows.targets(panels[i]);
    over_rows(rows, panels[i], [&, &sums = workers[worker]](std::size_t j, double weight) {
      sums.weights.add(1, weight);
      for (std::size_t k = 0; k < outputs; ++k) {
        const double error = predicted(k, j) - targets(k, j);
        sums.squares.add(error * error, weight);
        sums.targets[k].add(own(predicted(k, j), k), own(targets(k, j), k), weight);
      }
    });
  });
  const auto total_of = [&](const auto& part) { return total<Total>(workers, engine.processes(), part); };
  const double weights = total_of([](const Sums& sums) { return sums.weights; }).value();
  const double squares = total_of([](const Sums& sums) { return sums.squares; }).value();
  Metrics metrics{.rows = rows.rows(), .mse = squares / weights};

  for (std::size_t k = 0; k < outputs; ++k) {
    const auto target =
        total<TargetSums>(workers, engine.processes(), [k](const Sums& sums) { return sums.targets[k]; });
    const double mean = target.targets.value() / weights;
    for (Sums& worker : workers) worker.deviations = {};
    engine.threads().run(panels.size(), [&](std::size_t i, std::size_t worker) {
      over_rows(rows, panels[i], [&](std::size_t j, double weight) {
        const double deviation = own(rows.targets(panels[i])(k, j), k) - mean;
        workers[worker].deviations.add(deviation * deviation, weight);
      });
    });
    const double spread = total_of([](const Sums& sums) { return sums.deviations; }).value();
    metrics.rmse.push_back(std::sqrt(target.squares.value() / weights));
    metrics.mae.push_back(target.absolute.value() / weights);
    metrics.r2.push_back(target.low == target.high ? std::numeric_limits<double>::quiet_NaN()
                                                   : 1 - target.squares.value() / spread);
  }
  return metrics;
}

Metrics evaluate(const Network& network, const Preprocessor& preprocessor, const Dataset& scaled,
                 Engine& engine) {
  if (scaled.all_rows() == 0)
    throw DataError({"evaluation"}, "there is no row to evaluate on; give at least one");
  check(network, preprocessor, scaled.features, scaled.outputs);
  return evaluate(network, preprocessor, PackedRows(scaled, engine));
}

Metrics evaluate(const Model& model, const Table& table, Engine& engine) {
  return evaluate(model.network, model.preprocessor, model.preprocessor.apply(table), engine);
}

Metrics evaluate_file(const Model& model, const std::filesystem::path& path, Engine& engine) {
  return evaluate(model, read_model_columns(model.preprocessor, path, true), engine);
}

}  // namespace strata
