#include <algorithm>
#include <cmath>
#include <string>

#include "strata/core/errors.h"
#include "trainers/run.h"

namespace strata {

namespace {

void require_not_negative(std::string_view field, double value) {
  if (!(value >= 0)) throw InvalidOption(field, std::to_string(value), "use 0 or more");
}

// One number that is not finite would spoil every sum it enters.
void require_finite(std::string_view field, ConstMatrix panel, std::size_t samples, std::size_t first_row) {
  for (std::size_t f = 0; f < panel.rows(); ++f)
    for (std::size_t j = 0; j < samples; ++j)
      if (!std::isfinite(panel(f, j)))
        throw InvalidOption(field, "not a finite number",
                            "remove or fill in row " + std::to_string(first_row + j + 1) + " of the data");
}

// Inputs, targets, and what the loss says of these.
void check(const PackedRows& rows, const std::string& prefix, const Loss& loss) {
  for (const std::size_t panel : rows.own_panels()) {
    const std::size_t first = rows.first_row(panel);
    require_finite(prefix + "inputs", rows.inputs(panel), rows.samples(panel), first);
    require_finite(prefix + "targets", rows.targets(panel), rows.samples(panel), first);
    const Vector targets = rows.target_rows(panel);
    loss.check_targets({targets.data(), rows.samples(panel), rows.outputs()}, first);
  }
}

void check(const Scheme& scheme) {
  if (!scheme.updates.hidden)
    throw InvalidOption("updates.hidden", "none", "choose an update, for example lbfgs()");
  if (!scheme.selection)
    throw InvalidOption("selection", "none", "choose a selection, for example backward_sweep()");
  const BlockTolerance& t = scheme.tolerance;
  require_not_negative("tolerance.first", t.first);
  if (!(t.factor > 0 && t.factor <= 1))
    throw InvalidOption("tolerance.factor", std::to_string(t.factor), "use a number in (0, 1]");
  if (!(scheme.step_size.first > 0) || std::isinf(scheme.step_size.first))
    throw InvalidOption("step_size.first", std::to_string(scheme.step_size.first), "use a positive number");
  const double shrink = scheme.step_size.epsilon * scheme.step_size.first;
  if (scheme.step_size.rule == StepSize::Rule::diminishing && !(shrink >= 0 && shrink < 1))
    throw InvalidOption("step_size.epsilon", std::to_string(scheme.step_size.epsilon),
                        "epsilon times the first step must lie in [0, 1)");
  if (!(scheme.look_ahead.most_increase >= 0))
    throw InvalidOption("look_ahead.most_increase", std::to_string(scheme.look_ahead.most_increase),
                        "use 0 or more");
  const Stopping& s = scheme.stopping;
  require_not_negative("stopping.gradient_norm", s.gradient_norm);
  require_not_negative("stopping.relative_decrease", s.relative_decrease);
  require_not_negative("stopping.seconds", s.seconds);
  require_not_negative("reporting.every_seconds", scheme.reporting.every_seconds);
  if (std::isnan(s.objective_at_most))
    throw InvalidOption("stopping.objective_at_most", "nan", "use a number");
  if (s.max_sweeps == 0 && s.seconds == 0 && s.max_evaluations == 0 && s.gradient_norm == 0 &&
      s.relative_decrease == 0 && !s.callback && !s.interrupt && std::isinf(s.objective_at_most))
    throw InvalidOption("stopping", "none", "give at least one rule, for example max_sweeps or seconds");
  if (scheme.acceptance.conditions) check(*scheme.acceptance.conditions);
}

void check(const Validation& validation, const Dataset& data) {
  if (validation.fraction != 0 && validation.data != nullptr)
    throw InvalidOption("validation.fraction", std::to_string(validation.fraction),
                        "give either validation rows or a fraction of the training rows, not both");
  if (!(validation.fraction >= 0 && validation.fraction < 1))
    throw InvalidOption("validation.fraction", std::to_string(validation.fraction), "use a number in [0, 1)");
  if (validation.data != nullptr && validation.data->all_rows() == 0)
    throw InvalidOption("validation.data", "no rows", "give at least one row");
  if (validation.data == nullptr) return;
  const Dataset& rows = *validation.data;
  if (rows.features != data.features || rows.outputs != data.outputs)
    throw InvalidOption(
        "validation.data",
        std::to_string(rows.features) + " inputs and " + std::to_string(rows.outputs) + " outputs",
        "the training rows have " + std::to_string(data.features) + " and " + std::to_string(data.outputs));
}

}  // namespace

// The one loop of every method: sweeps over batches, batches over blocks. A run that is resumed enters it where it was.
TrainingResult Run::go() {
  if (!options_.checkpoints.resume) validate_start();
  for (;; ++sweep_, place_ = Place::start) {
    if (place_ == Place::start) begin_sweep();
    if (place_ == Place::all_rows) visit_all_rows();
    if (place_ == Place::batches) visit_batches();
    if (const auto reason = end_sweep()) return finish(*reason);
  }
}

void Run::visit_all_rows() {
  if (scheme_.batches.all_rows_first && full_objective_) visit_blocks(*full_objective_, 0, true);
  if (pending_) return;
  batches_.begin_epoch();
  place_ = Place::batches;
}

void Run::visit_batches() {
  const std::vector<std::size_t>& order = batches_.order();
  while (batches_done_ < order.size()) {
    if (!pending_) visit_batch(order[batches_done_], order[(batches_done_ + 1) % order.size()]);
    if (pending_) return;
    ++batches_done_;
    advance_step_size();
    report_if_due();
  }
}

TrainingResult train(Network& network, const Dataset& data, const Scheme& scheme,
                     const TrainOptions& options) {
  check(options.validation, data);
  if (options.validation.fraction > 0) {
    const HeldOut parts =
        hold_out(data, options.validation.fraction, options.seed, options.engine->processes());
    TrainOptions with_rows = options;
    with_rows.validation = {.data = &parts.validation, .patience = options.validation.patience};
    return train(network, parts.training, scheme, with_rows);
  }
  const PackedRows rows(data, *options.engine);
  if (options.validation.data == nullptr) return train(network, {rows}, scheme, options);
  const PackedRows validation(*options.validation.data, *options.engine);
  return train(network, {rows, &validation}, scheme, options);
}

TrainingResult train(Network& network, const TrainingRows& rows, const Scheme& scheme,
                     const TrainOptions& options) {
  check(scheme);
  require_not_negative("checkpoints.every_seconds", options.checkpoints.every_seconds);
  if (options.validation.patience > 0 && rows.validation == nullptr)
    throw InvalidOption("validation.patience", std::to_string(options.validation.patience),
                        "give validation rows, or a fraction of the training rows, to stop by");
  if (options.objective.precision != Precision::float64)
    throw InvalidOption(
        "objective.precision", "float32",
        "all rows are measured in float64; choose float32 for minibatches in batches.precision");
  if (rows.validation) check(*rows.validation, "validation ", *options.objective.loss);
  check(rows.training, "", *options.objective.loss);
  const Vector before(network.weights().begin(), network.weights().end());
  try {
    return Run(network, rows, scheme, options).go();
  } catch (const InvalidOption&) {  // some parts can only be refused when their block's turn comes
    std::copy(before.begin(), before.end(), network.weights().begin());
    throw;
  }
}

}  // namespace strata
