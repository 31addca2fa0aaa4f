#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "model/evaluation_set.h"
#include "model/response.h"
#include "network/panel_pass.h"
#include "strata/core/exact_sum.h"
#include "strata/objective/packed_rows.h"
#include "strata/parallel/collective.h"
#include "strata/parallel/engine.h"

// Sums over rows that threads and processes share: exact until they are read, so that the parts do not matter.
namespace strata {

// The weighted sum of numbers, without rounding; infinite where one of them is not finite.
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

// Several of them, each worker's own.
class Totals {
 public:
  Totals(std::size_t count, Engine& engine)
      : engine_(&engine), parts_(engine.threads().threads(), std::vector<Total>(count)) {}

  void add(std::size_t k, double number, double weight, std::size_t worker) {
    parts_[worker][k].add(number, weight);
  }
  // What all workers and processes have added; all processes call it.
  [[nodiscard]] std::vector<double> values() const {
    std::vector<Total> own(parts_.front().size());
    for (const auto& part : parts_) add_to(own, part);
    std::vector<Total> all(own.size());
    Communicator& processes = engine_->processes();
    for (const auto& part : all_to_all(processes, std::vector(processes.size(), own))) add_to(all, part);
    std::vector<double> values;
    for (const Total& total : all) values.push_back(total.value());
    return values;
  }

 private:
  static void add_to(std::vector<Total>& sums, const std::vector<Total>& part) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(part[k]);
  }

  Engine* engine_;
  std::vector<std::vector<Total>> parts_;
};

// A row, and what the model gives for it.
struct EvaluatedRow {
  std::span<const double> predictions;  // in own units, or probabilities
  std::span<const double> targets;      // scaled
  std::span<const double> spread;  // of each prediction over the members; empty where it is not asked for
  double loss;
  double weight;
  std::size_t worker;
};

// Every row of a set that counts. class_factors: those of the classes are taken out of the weights. with_spread: of two members
// or more.
template <class Visit>
void over_rows(const Response& response, const EvaluationSet& set, std::span<const double> class_factors,
               const Visit& visit, bool with_spread = false) {
  struct Space {
    MemberPasses passes;
    Vector members, row, targets, predicted, spread, packed;
  };
  const PackedRows& rows = *set.rows;
  const std::size_t count = set.networks.size();
  const std::size_t outputs = response.outputs();
  const std::size_t columns = response.columns();
  ThreadPool& pool = rows.engine().threads();
  std::vector<Space> spaces(pool.threads(), {MemberPasses(set.networks),
                                             Vector(count * outputs),
                                             Vector(columns),
                                             Vector(rows.outputs()),
                                             Vector(count * columns),
                                             Vector(with_spread ? columns : 0),
                                             {}});
  const auto panels = rows.own_panels();
  pool.run(panels.size(), [&](std::size_t i, std::size_t worker) {
    auto& [passes, members, row, targets, predicted, spread, packed] = spaces[worker];
    const Matrix of_members(members.data(), count, outputs);
    const auto found = passes.outputs(rows.inputs(panels[i], packed), rows.samples(panels[i]));
    const std::span<const double> weights = rows.weights(panels[i]);
    for (std::size_t j = 0; j < rows.samples(panels[i]); ++j) {
      double weight = weights.empty() ? 1 : weights[j];
      if (weight == 0) continue;
      for (std::size_t k = 0; k < targets.size(); ++k) targets[k] = rows.targets(panels[i])(k, j);
      if (!class_factors.empty()) weight /= class_factors[static_cast<std::size_t>(targets[0])];
      for (std::size_t m = 0; m < count; ++m)
        for (std::size_t k = 0; k < outputs; ++k) of_members(m, k) = found[m](k, j);
      response.combine(of_members, row);
      const double loss =  // of a panel of one sample
          response.loss().value({row.data(), outputs, 1}, {targets.data(), targets.size(), 1}, {}, 1);
      response.apply(row);
      if (with_spread) response.spread(of_members, row, {predicted.data(), count, columns}, spread);
      visit({row, targets, spread, loss, weight, worker});
    }
  });
}

}  // namespace strata
