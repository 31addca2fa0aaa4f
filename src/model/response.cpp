#include "model/response.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

Response::Response(const Model& model)
    : model_(&model),
      loss_(model.loss.make()),
      classes_(model.preprocessor.classes().size()),
      columns_(classes_ > 0 ? classes_ : outputs()),
      per_target_(outputs() / model.preprocessor.outputs()) {}

std::vector<std::string> Response::names() const {
  const std::vector<std::string> targets = model_->preprocessor.target_names();
  std::vector<std::string> names;
  if (classes_ > 0) {
    for (const std::string& label : model_->preprocessor.classes())
      names.push_back(targets.front() + "=" + label);
    return names;
  }
  if (model_->loss.name != "quantile" || per_target_ == 1) return targets;
  for (const std::string& target : targets)
    for (const double level : model_->loss.options.levels)
      names.push_back(fmt::format("{}_q{}", target, level));
  return names;
}

void Response::combine(Matrix members, std::span<double> row) const {
  if (classes_ > 0)
    for (std::size_t m = 0; m < members.rows(); ++m)
      for (double& out : members.row(m)) out /= model_->temperature;
  average(members, row);
}

void Response::average(ConstMatrix members, std::span<double> row) const {
  if (members.rows() == 1)
    std::ranges::copy(members.row(0), row.begin());
  else
    loss_->average(members, row.first(outputs()));
}

void Response::score(std::span<double> row) const {
  if (classes_ == 0) return apply(row);
  if (outputs() == columns_) return;
  // The log-odds of the second class, and of the first: each gets its probability without rounding.
  row[1] = row[0];
  row[0] = -row[0];
}

void Response::apply(std::span<double> row) const {
  if (classes_ > 0) {
    score(row);
    return loss_->link(row);
  }
  loss_->link(row);
  for (std::size_t k = 0; k < columns_; ++k)
    row[k] = model_->preprocessor.target().to_own_units(row[k], k / per_target_);
}

void Response::spread(ConstMatrix members, std::span<const double> predictions, Matrix predicted,
                      std::span<double> out) const {
  for (std::size_t m = 0; m < members.rows(); ++m) {
    std::ranges::copy(members.row(m), predicted.row(m).begin());
    apply(predicted.row(m));
  }
  for (std::size_t k = 0; k < columns_; ++k) {
    double squares = 0;
    for (std::size_t m = 0; m < members.rows(); ++m)
      squares += (predicted(m, k) - predictions[k]) * (predicted(m, k) - predictions[k]);
    out[k] = std::sqrt(squares / static_cast<double>(members.rows() - 1));
  }
}

}  // namespace strata
