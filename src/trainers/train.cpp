#include <algorithm>
#include <cmath>
#include <string>

#include "strata/core/errors.h"
#include "trainers/run.h"

namespace strata {

namespace {

void check(const Scheme& scheme) {
  if (!scheme.updates.hidden)
    throw InvalidOption("updates.hidden", "none", "choose an update, for example lbfgs()");
  if (!scheme.selection)
    throw InvalidOption("selection", "none", "choose a selection, for example backward_sweep()");
  const BlockTolerance& t = scheme.tolerance;
  if (!(t.first >= 0)) throw InvalidOption("tolerance.first", std::to_string(t.first), "use 0 or more");
  if (!(t.factor > 0 && t.factor <= 1))
    throw InvalidOption("tolerance.factor", std::to_string(t.factor), "use a number in (0, 1]");
  if (!(scheme.step_size.first > 0))
    throw InvalidOption("step_size.first", std::to_string(scheme.step_size.first), "use a positive number");
  const double shrink = scheme.step_size.epsilon * scheme.step_size.first;
  if (scheme.step_size.rule == StepSize::Rule::diminishing && !(shrink >= 0 && shrink < 1))
    throw InvalidOption("step_size.epsilon", std::to_string(scheme.step_size.epsilon),
                        "epsilon times the first step must lie in [0, 1)");
  const Stopping& s = scheme.stopping;
  if (s.max_sweeps == 0 && s.seconds <= 0 && s.max_evaluations == 0 && s.gradient_norm <= 0 &&
      s.relative_decrease <= 0 && !s.callback && !s.interrupt && std::isinf(s.target))
    throw InvalidOption("stopping", "none", "give at least one rule, for example max_sweeps or seconds");
  if (scheme.acceptance.conditions) check(*scheme.acceptance.conditions);
}

}  // namespace

// The one loop of every method: sweeps over batches, batches over blocks.
TrainingResult Run::go() {
  for (;; ++sweep_) {
    begin_sweep();
    for (const std::size_t batch : batches_.begin_epoch()) {
      visit_batch(batch);
      if (pending_) break;
      advance_step_size();
      report_if_due();
    }
    if (const auto reason = end_sweep()) return finish(*reason);
  }
}

TrainingResult train(Network& network, const Dataset& data, const Scheme& scheme,
                     const TrainOptions& options) {
  check(scheme);
  return Run(network, data, scheme, options).go();
}

}  // namespace strata
