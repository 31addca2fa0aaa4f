#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "strata/core/errors.h"
#include "trainers/run.h"

namespace strata {

namespace {

// One number that is not finite would spoil every sum it enters; NaN is a missing value where layers know of them.
void require_finite(std::string_view field, ConstMatrix panel, std::size_t samples, std::size_t first_row,
                    bool or_missing = false) {
  for (std::size_t f = 0; f < panel.rows(); ++f)
    for (std::size_t j = 0; j < samples; ++j)
      if (!std::isfinite(panel(f, j)) && !(or_missing && std::isnan(panel(f, j))))
        throw InvalidOption(field, "not a finite number",
                            "remove or fill in row " + std::to_string(first_row + j + 1) + " of the data");
}

// Inputs, targets, and what the loss says of these.
void check(const PackedRows& rows, const std::string& prefix, const Network& network, const Loss& loss) {
  Vector packed;
  for (const std::size_t panel : rows.own_panels()) {
    const std::size_t first = rows.first_row(panel);
    require_finite(prefix + "inputs", rows.inputs(panel, packed), rows.samples(panel), first,
                   !network.architecture().columns.empty());
    require_finite(prefix + "targets", rows.targets(panel), rows.samples(panel), first);
    const Vector targets = rows.target_rows(panel);
    loss.check_targets({targets.data(), rows.samples(panel), rows.outputs()}, first);
  }
}

void check(Scheme scheme) {
  scheme.parts([]<class Part>(std::string_view name, const Part& part) {
    if constexpr (Kinded<Part>)
      check(part);
    else
      check(name, part);
  });
  if (std::holds_alternative<std::monostate>(scheme.updates.hidden))
    throw InvalidOption("updates.hidden", "none", "choose an update, for example lbfgs()");
  const Stopping& s = scheme.stopping;
  if (s.max_sweeps == 0 && s.seconds == 0 && s.max_evaluations == 0 && s.gradient_norm == 0 &&
      s.relative_decrease == 0 && !s.callback && !s.interrupt && std::isinf(s.objective_at_most))
    throw InvalidOption("stopping", "none", "give at least one rule, for example max_sweeps or seconds");
}

void check(const Validation& validation, const Dataset& data) {
  if (validation.fraction != 0 && validation.data != nullptr)
    throw InvalidOption("validation.fraction", std::to_string(validation.fraction),
                        "give either validation rows or a fraction of the training rows, not both");
  check("validation", validation);
  if (validation.data != nullptr && validation.data->all_rows() == 0)
    throw InvalidOption("validation.data", "no rows", "give at least one row");
  if (validation.data == nullptr) return;
  const Dataset& rows = *validation.data;
  if (rows.features() != data.features() || rows.outputs != data.outputs)
    throw InvalidOption(
        "validation.data",
        std::to_string(rows.features()) + " inputs and " + std::to_string(rows.outputs) + " outputs",
        "the training rows have " + std::to_string(data.features()) + " and " + std::to_string(data.outputs));
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
    if (!pending_ && !has_time_for_batch()) pending_ = StopReason::time_limit;
    if (!pending_) {
      const double begun = time_.charged();
      visit_batch(order[batches_done_], order[(batches_done_ + 1) % order.size()]);
      batch_seconds_ = time_.charged() - begun;
    }
    if (pending_) return;
    ++batches_done_;
    advance_step_size();
    if (averages()) {
      const std::size_t batches =
          batches_.epochs_are_long() ? batches_.stretch() / batches_.size() : batches_.count();
      const double window = options_.validation.average * static_cast<double>(batches);
      average_.add(std::as_const(network_).weights(), 1 / std::max(1.0, window));
    }
    report_if_due();
    look_if_due();
    end_stretch_if_due();
  }
}

TrainingResult train(Network& network, const Dataset& data, const Scheme& scheme,
                     const TrainOptions& options) {
  check(options.validation, data);
  if (options.validation.fraction > 0) {
    const HeldOut parts =
        hold_out(data, options.validation.fraction, options.seed, options.engine->processes());
    TrainOptions with_rows = options;
    with_rows.validation.data = &parts.validation;
    with_rows.validation.fraction = 0;
    return train(network, parts.training, scheme, with_rows);
  }
  const PackedRows rows(data, *options.engine, PackedRows::shards_for(network));
  if (options.validation.data == nullptr) return train(network, {rows}, scheme, options);
  const PackedRows validation(*options.validation.data, *options.engine);
  return train(network, {rows, &validation}, scheme, options);
}

TrainingResult train(Network& network, const TrainingRows& rows, const Scheme& scheme,
                     const TrainOptions& options) {
  check(scheme);
  check("checkpoints", options.checkpoints);
  if (options.validation.patience > 0 && rows.validation == nullptr)
    throw InvalidOption("validation.patience", std::to_string(options.validation.patience),
                        "give validation rows, or a fraction of the training rows, to stop by");
  if (options.objective.precision != Precision::float64)
    throw InvalidOption(
        "objective.precision", "float32",
        "what is reported is measured in float64; choose float32 in batches.precision and batches.all_rows");
  if (rows.validation) check(*rows.validation, "validation ", network, *options.objective.loss);
  check(rows.training, "", network, *options.objective.loss);
  const Vector before(network.weights().begin(), network.weights().end());
  try {
    return Run(network, rows, scheme, options).go();
  } catch (const InvalidOption&) {  // some parts can only be refused when their block's turn comes
    std::copy(before.begin(), before.end(), network.weights().begin());
    throw;
  }
}

}  // namespace strata
