#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strata/model/model.h"

namespace strata {

// From the outputs of a model's networks to its predictions: probabilities of the classes, quantiles or means, in the
// targets' own units. The model must outlive it.
class Response {
 public:
  explicit Response(const Model& model);

  [[nodiscard]] std::size_t outputs() const { return model_->architecture().outputs; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  // Of the columns: the target, "y=red" for a probability, "y_q0.05" for a quantile.
  [[nodiscard]] std::vector<std::string> names() const;

  // The outputs of the model for one row, calibrated, from those of its members (a row for each), which are changed. What is
  // predicted from them is the mean of what the members predict.
  void combine(Matrix members, std::span<double> row) const;
  // The same of some members, whose outputs are calibrated already.
  void average(ConstMatrix members, std::span<double> row) const;
  // In place, from the model's outputs for one row, the first outputs() entries of columns().
  void apply(std::span<double> row) const;
  // The same, without the link of a classification: log-odds, or a score for each class.
  void score(std::span<double> row) const;
  // The standard deviation of each prediction over some members, with the divisor members - 1, from their calibrated outputs and
  // what they predict together. `predicted`: members x columns, overwritten.
  void spread(ConstMatrix members, std::span<const double> predictions, Matrix predicted,
              std::span<double> out) const;

  [[nodiscard]] const Loss& loss() const { return *loss_; }

 private:
  const Model* model_;
  std::unique_ptr<const Loss> loss_;
  std::size_t classes_;
  std::size_t columns_;
  std::size_t per_target_;  // regression: predictions for each target
};

}  // namespace strata
