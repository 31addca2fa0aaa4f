#include "model/calibration.h"

#include <cmath>
#include <memory>
#include <vector>

#include "network/panel_pass.h"
#include "strata/core/exact_sum.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

double sum_of(const ExactSum& own, Communicator& processes) {
  ExactSum all;
  for (const ExactSum& part : all_gather(processes, own)) all += part;
  return all.value();
}

class Temperature {
 public:
  Temperature(const Model& model, const EvaluationSets& sets)
      : processes_(&sets.front().rows->engine().processes()),
        loss_(model.loss.make()),
        width_(model.architecture().outputs),
        scaled_(width_),
        delta_(width_) {
    for (const EvaluationSet& set : sets) add(set);
  }

  // The derivative, with respect to t = -log T, of the sum over rows of the loss, plus the preference 2 t^2.
  double slope(double t) {
    const double factor = std::exp(t);
    ExactSum sum;
    std::size_t first = 0;  // place of the row's first outputs
    for (std::size_t row = 0; row < targets_.size(); first += members_[row] * width_, ++row)
      if (const double along = slope_of_row(row, first, factor); std::isfinite(along))
        sum.add(weights_[row] * along);
    return sum_of(sum, *processes_) + 4 * t;
  }

 private:
  void add(const EvaluationSet& set) {
    const PackedRows& rows = *set.rows;
    MemberPasses passes(set.networks);
    Vector packed;
    for (const std::size_t panel : rows.own_panels()) {
      const auto found = passes.outputs(rows.inputs(panel, packed), rows.samples(panel));
      const auto weights = rows.weights(panel);
      for (std::size_t j = 0; j < rows.samples(panel); ++j) {
        for (const ConstMatrix& of_member : found)
          for (std::size_t k = 0; k < width_; ++k) outputs_.push_back(of_member(k, j));
        members_.push_back(found.size());
        targets_.push_back(rows.targets(panel)(0, j));
        weights_.push_back(weights.empty() ? 1 : weights[j]);  // their mean is 1
      }
    }
  }

  // With p_m the probability that member m gives to the row's class, -log(mean of p_m) has the slope
  // sum of p_m slope_m / sum of p_m. Factors relative to the largest p_m so far never overflow.
  double slope_of_row(std::size_t row, std::size_t first, double factor) {
    double least = 0;
    double total = 0;
    double sum = 0;
    for (std::size_t m = 0; m < members_[row]; ++m) {
      for (std::size_t k = 0; k < width_; ++k) scaled_[k] = factor * outputs_[first + m * width_ + k];
      const double loss = loss_->value_and_delta({scaled_.data(), width_, 1}, {&targets_[row], 1, 1}, {}, 1,
                                                 1, {delta_.data(), width_, 1});
      double along = 0;
      for (std::size_t k = 0; k < width_; ++k) along += delta_[k] * scaled_[k];
      if (m == 0 || loss < least) {
        const double shrink = m == 0 ? 0 : std::exp(loss - least);
        total *= shrink;
        sum *= shrink;
        least = loss;
      }
      const double share = loss > least ? std::exp(least - loss) : 1;
      total += share;
      sum += share * along;
    }
    return sum / total;
  }

  Communicator* processes_;
  std::unique_ptr<const Loss> loss_;
  std::size_t width_;
  Vector outputs_;                    // of each row: members x width
  std::vector<std::size_t> members_;  // that predict each row
  Vector targets_;
  Vector weights_;
  Vector scaled_;
  Vector delta_;
};

}  // namespace

double fit_temperature(const Model& model, const EvaluationSets& sets) {
  Temperature problem(model, sets);
  double low = -std::log(20.0);
  double high = -low;
  constexpr int halvings = 30;  // of an interval of 6: T to nine digits
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (problem.slope(middle) > 0 ? high : low) = middle;
  }
  return std::exp(-(low + high) / 2);
}

}  // namespace strata
