#include "model/calibration.h"

#include <cmath>
#include <memory>

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
  Temperature(const Model& model, const PackedRows& rows)
      : processes_(&rows.engine().processes()),
        loss_(model.loss.make()),
        width_(model.network.architecture().outputs),
        scaled_(width_),
        delta_(width_) {
    PanelPass pass(model.network);
    for (const std::size_t panel : rows.own_panels()) {
      const ConstMatrix found = pass.outputs(rows.inputs(panel), rows.samples(panel));
      const auto weights = rows.weights(panel);
      for (std::size_t j = 0; j < rows.samples(panel); ++j) {
        for (std::size_t k = 0; k < width_; ++k) outputs_.push_back(found(k, j));
        targets_.push_back(rows.targets(panel)(0, j));
        weights_.push_back(weights.empty() ? 1 : weights[j]);  // their mean is 1
      }
    }
  }

  // The derivative, with respect to t = -log T, of the sum over rows of the loss, plus the preference 2 t^2.
  double slope(double t) {
    const double factor = std::exp(t);
    ExactSum sum;
    for (std::size_t row = 0; row < targets_.size(); ++row) {
      for (std::size_t k = 0; k < width_; ++k) scaled_[k] = factor * outputs_[row * width_ + k];
      loss_->value_and_delta({scaled_.data(), width_, 1}, {&targets_[row], 1, 1}, {}, 1, 1,
                             {delta_.data(), width_, 1});
      double along = 0;
      for (std::size_t k = 0; k < width_; ++k) along += delta_[k] * scaled_[k];
      if (std::isfinite(along)) sum.add(weights_[row] * along);
    }
    return sum_of(sum, *processes_) + 4 * t;
  }

 private:
  Communicator* processes_;
  std::unique_ptr<const Loss> loss_;
  std::size_t width_;
  Vector outputs_;  // rows x width
  Vector targets_;
  Vector weights_;
  Vector scaled_;
  Vector delta_;
};

}  // namespace

double fit_temperature(const Model& model, const PackedRows& rows) {
  Temperature problem(model, rows);
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
