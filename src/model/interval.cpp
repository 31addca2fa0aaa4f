#include "strata/model/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/interval.h"

namespace strata {

namespace {

std::size_t levels_of(const Model& model) {
  return model.loss.name == "quantile" ? model.loss.options.levels.size() : 1;
}

bool of_counts(const Model& model) { return model.loss.name == "poisson"; }

// What q is multiplied with, but for the spread of members.
double unit(bool counts, double prediction) {
  return counts ? std::sqrt(std::max(prediction, std::numeric_limits<double>::min())) : 1;
}

}  // namespace

bool has_plain_bounds(const Model& model) {
  return model.preprocessor.classes().empty() && levels_of(model) == 1 && !of_counts(model);
}

double interval_score(const Model& model, std::span<const double> predictions, double truth) {
  if (levels_of(model) > 1) return std::max(predictions.front() - truth, truth - predictions.back());
  return std::abs(truth - predictions.front()) / unit(of_counts(model), predictions.front());
}

IntervalRule::IntervalRule(const Model& model, double coverage, bool allow_empty)
    : model_(&model),
      classes_(model.preprocessor.classes().size()),
      levels_(levels_of(model)),
      counts_(of_counts(model)),
      least_p_value_((1 - coverage) *
                     (1 + 1e-12)),  // a little more than the difference, which may be rounded down
      allow_empty_(allow_empty) {
  const std::size_t targets = classes_ > 0 ? 1 : model.preprocessor.outputs();
  for (std::size_t t = 0; t < targets; ++t) bounds_.push_back(model.conformal.at(coverage, t));
}

std::size_t IntervalRule::columns() const { return classes_ > 0 ? classes_ : 2 * bounds_.size(); }

std::vector<std::string> IntervalRule::names() const {
  std::vector<std::string> names;
  if (classes_ > 0) {
    for (const std::string& label : model_->preprocessor.classes())
      names.push_back(model_->preprocessor.target_names().front() + "=" + label);
    return names;
  }
  for (const std::string& target : model_->preprocessor.target_names()) {
    names.push_back(target + "_low");
    names.push_back(target + "_high");
  }
  return names;
}

void IntervalRule::find_set(std::span<const double> predictions, std::span<double> out) const {
  const std::span<const double> probabilities = predictions.first(classes_);
  const std::size_t folds = model_->conformal.folds.size();
  std::vector<double> scores(folds);
  for (std::size_t k = 0; k < classes_; ++k) {
    for (std::size_t fold = 0; fold < folds; ++fold)
      scores[fold] = 1 - predictions[(fold + 1) * classes_ + k];
    const bool belongs = folds > 0 ? model_->conformal.p_value(scores) > least_p_value_
                                   : probabilities[k] >= 1 - bounds_.front();
    out[k] = belongs ? 1 : 0;
  }
  if (!allow_empty_)
    out[static_cast<std::size_t>(std::ranges::max_element(probabilities) - probabilities.begin())] = 1;
}

void IntervalRule::apply(std::span<const double> predictions, std::span<double> out) const {
  if (classes_ > 0) return find_set(predictions, out);
  for (std::size_t t = 0; t < bounds_.size(); ++t) {
    const auto own = predictions.subspan(t * levels_, levels_);
    const std::vector<double>& offsets = model_->conformal.offsets;
    const double bound =
        offsets.empty() ? bounds_[t] : bounds_[t] * (predictions[bounds_.size() + t] + offsets[t]);
    out[2 * t] = own.front() - bound * unit(counts_, own.front());
    out[2 * t + 1] = own.back() + bound * unit(counts_, own.back());
    if (counts_) out[2 * t] = std::max(out[2 * t], 0.0);
    if (out[2 * t] > out[2 * t + 1]) out[2 * t] = out[2 * t + 1] = (out[2 * t] + out[2 * t + 1]) / 2;
  }
}

}  // namespace strata
