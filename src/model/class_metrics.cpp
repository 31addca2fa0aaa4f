#include "model/class_metrics.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "model/totals.h"

namespace strata {

namespace {

constexpr std::size_t bins = 15;  // of equal width in the probability of the predicted class

struct Scored {
  double score;
  double positive;  // 0 or 1
  double weight;
};

// The share of pairs of a row of class 1 and a row of class 0 in which the first has the higher score; ties count half.
double area_under_curve(std::vector<Scored>& rows) {
  std::ranges::sort(rows, [](const Scored& a, const Scored& b) {
    return std::tie(a.score, a.positive, a.weight) < std::tie(b.score, b.positive, b.weight);
  });
  double ordered = 0;
  double negatives = 0;  // with a lower score
  double positives = 0;
  for (std::size_t i = 0; i < rows.size();) {
    double tied_negatives = 0;
    double tied_positives = 0;
    const double score = rows[i].score;
    for (; i < rows.size() && rows[i].score == score; ++i)
      (rows[i].positive > 0 ? tied_positives : tied_negatives) += rows[i].weight;
    ordered += tied_positives * (negatives + tied_negatives / 2);
    negatives += tied_negatives;
    positives += tied_positives;
  }
  return ordered / (negatives * positives);  // NaN without both classes
}

// What the area under the curve needs of every row: of two classes the probability of the second, of more all of them.
class ScoredRows {
 public:
  explicit ScoredRows(std::size_t classes) : classes_(classes) {}

  void add(std::span<const double> p, double truth, double weight) {
    const auto kept = classes_ == 2 ? p.last(1) : p;
    scores_.insert(scores_.end(), kept.begin(), kept.end());
    truths_.push_back(truth);
    weights_.push_back(weight);
  }
  void add(const ScoredRows& other) {
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(scores_, other.scores_);
    append(truths_, other.truths_);
    append(weights_, other.weights_);
  }
  void gather(Communicator& processes) {
    scores_ = gathered(scores_, processes);
    truths_ = gathered(truths_, processes);
    weights_ = gathered(weights_, processes);
  }

  // Mean over the classes that have rows of the area for that class against all others; NaN without two of them.
  [[nodiscard]] double area() const {
    const std::size_t columns = classes_ == 2 ? 1 : classes_;
    double sum = 0;
    double present = 0;
    std::vector<Scored> rows(truths_.size());
    for (std::size_t k = 0; k < columns; ++k) {
      const auto positive = static_cast<double>(classes_ - columns + k);
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = {scores_[i * columns + k], truths_[i] == positive ? 1.0 : 0.0, weights_[i]};
      const double area = area_under_curve(rows);
      if (std::isnan(area)) continue;
      sum += area;
      ++present;
    }
    return sum / present;
  }

 private:
  std::size_t classes_;
  std::vector<double> scores_, truths_, weights_;
};

// Rows of class i predicted as j, of all workers and processes.
std::vector<std::size_t> sum_of(const std::vector<std::vector<std::size_t>>& parts, Communicator& processes) {
  std::vector<std::size_t> own(parts.front().size());
  const auto add = [](std::vector<std::size_t>& sums, const std::vector<std::size_t>& part) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += part[k];
  };
  for (const auto& part : parts) add(own, part);
  std::vector<std::size_t> all(own.size());
  for (const auto& part : all_to_all(processes, std::vector(processes.size(), own))) add(all, part);
  return all;
}

}  // namespace

ClassMetrics class_metrics(const Model& model, const EvaluationSets& sets,
                           std::span<const double> class_factors) {
  const Response response(model);
  Engine& engine = sets.front().rows->engine();
  const std::size_t classes = response.columns();
  const std::size_t workers = engine.threads().threads();
  std::vector confusion(workers, std::vector<std::size_t>(classes * classes));
  std::vector<ScoredRows> scored(workers, ScoredRows(classes));
  Totals losses(1, engine);
  Totals counts(2 * classes, engine);    // weight of each class, then of its rows that are predicted right
  Totals calibration(2 * bins, engine);  // confidence, then weight of what is right, in each bin
  const auto add = [&](const EvaluatedRow& row) {
    const auto p = row.predictions;
    const auto top = static_cast<std::size_t>(std::ranges::max_element(p) - p.begin());
    const auto truth = static_cast<std::size_t>(row.targets[0]);
    const double confidence = std::isfinite(p[top]) ? p[top] : 1;  // an overflow is surely something
    const double right = top == truth ? 1 : 0;
    ++confusion[row.worker][truth * classes + top];
    losses.add(0, row.loss, row.weight, row.worker);
    counts.add(truth, 1, row.weight, row.worker);
    counts.add(classes + truth, right, row.weight, row.worker);
    const std::size_t bin =
        std::min(bins - 1, static_cast<std::size_t>(confidence * static_cast<double>(bins)));
    calibration.add(bin, confidence, row.weight, row.worker);
    calibration.add(bins + bin, right, row.weight, row.worker);
    scored[row.worker].add(p, row.targets[0], row.weight);
  };
  for (const EvaluationSet& set : sets) over_rows(response, set, class_factors, add);

  ClassMetrics metrics;
  const std::vector<double> count = counts.values();
  double total = 0;
  double right = 0;
  double recalls = 0;
  double present = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    total += count[k];
    right += count[classes + k];
    if (count[k] == 0) continue;
    recalls += count[classes + k] / count[k];
    ++present;
  }
  metrics.log_loss = losses.values().front() / total;
  metrics.accuracy = right / total;
  metrics.balanced_accuracy = recalls / present;
  const std::vector<double> bin = calibration.values();
  for (std::size_t b = 0; b < bins; ++b)
    metrics.calibration_error += std::abs(bin[b] - bin[bins + b]) / total;
  metrics.confusion = sum_of(confusion, engine.processes());
  ScoredRows all = std::move(scored.front());
  for (std::size_t w = 1; w < workers; ++w) all.add(scored[w]);
  all.gather(engine.processes());
  metrics.auc = all.area();
  return metrics;
}

std::vector<std::vector<std::size_t>> ClassMetrics::confusion_rows() const {
  const auto classes =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(confusion.size()))));
  std::vector<std::vector<std::size_t>> rows(classes);
  for (std::size_t i = 0; i < confusion.size(); ++i) rows[i / classes].push_back(confusion[i]);
  return rows;
}

}  // namespace strata
