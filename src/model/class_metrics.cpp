#include "model/class_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
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
double area_under_curve(std::vector<Scored> rows) {
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
  std::vector<std::vector<Scored>> scored(workers);
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
    if (classes == 2) scored[row.worker].push_back({p[1], row.targets[0], row.weight});
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
  std::vector<Scored> own;
  for (const auto& part : scored) own.insert(own.end(), part.begin(), part.end());
  metrics.auc = classes == 2 ? area_under_curve(gathered(own, engine.processes()))
                             : std::numeric_limits<double>::quiet_NaN();
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
