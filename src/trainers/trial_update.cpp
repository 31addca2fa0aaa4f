#include "trainers/trial_update.h"

#include <algorithm>
#include <cmath>

namespace strata {

void TrialUpdate::apply(StepContext& step) {
  StepRecord& record = step.record;
  const Work start = step.objective.work();
  BlockObjective f = step.objective.open(step.block);
  prepare(f);
  sample(f, f.weights(), before_);
  record.before = record.after = before_.value;
  record.gradient_norm = norm(before_.gradient);
  record.step_length = 0;

  const bool within = step.skip_within_tolerance && measure(before_.gradient) <= step.tolerance;
  if (within || record.gradient_norm == 0) {
    record.skipped = true;
    record.reason = StopReason::gradient_tolerance;
    record.message = "the block's gradient is within the tolerance";
  } else if (!finite(before_)) {
    record.refused = true;
    record.reason = StopReason::non_finite;
    record.message = "the function or its gradient is not finite at the current weights";
  } else {
    improve(f, before_, step, trial_);
    record.reason = trial_.reason;
    record.message = trial_.message;
    record.iterations = trial_.iterations;
    accept(f, step);
  }
  record.work = step.objective.work() - start;
}

// Conditions (1) and (2); the Armijo point otherwise; the old point where even that does not exist.
void TrialUpdate::accept(BlockObjective& f, StepContext& step) {
  StepRecord& record = step.record;
  const auto distance = [this](const Vector& x) {
    step_to(direction_, x, -1, before_.x);
    return norm(direction_);
  };
  direction_.resize(before_.x.size());
  record.trial = trial_.best.value;
  record.trial_length = distance(trial_.best.x);
  const auto take = [&](const Vector& x, double value, double length) {
    record.after = value;
    record.step_length = length;
    step.objective.commit(step.block, x);
  };
  const bool usable =
      std::isfinite(record.trial) && std::isfinite(record.trial_length) && record.trial_length > 0;

  if (const auto* conditions = std::get_if<ArmijoAcceptance>(&step.acceptance)) {
    std::transform(before_.gradient.begin(), before_.gradient.end(), direction_.begin(),
                   [](double g) { return -g; });
    armijo(f, before_, direction_, conditions->line_search, armijo_);
    record.armijo = armijo_.value;
    const auto satisfied = [&](double value, double length) {
      record.margin_armijo = record.armijo - value;
      record.margin_forcing =
          before_.value - value - conditions->coefficient * std::pow(length, conditions->power);
      return record.margin_armijo >= 0 && record.margin_forcing >= 0;
    };
    if (usable && satisfied(record.trial, record.trial_length))
      return take(trial_.best.x, record.trial, record.trial_length);
    const double length = distance(armijo_.x);
    record.fallback = satisfied(armijo_.value, length) && length > 0;
    if (record.fallback) return take(armijo_.x, armijo_.value, length);
  } else if (usable && record.trial <= before_.value) {
    return take(trial_.best.x, record.trial, record.trial_length);
  }
  record.refused = true;
}

}  // namespace strata
