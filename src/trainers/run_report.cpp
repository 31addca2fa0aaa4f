// What a run tells: the full objective along the way, and its result.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "trainers/run.h"

namespace strata {

// The full objective, outside the charged time and work.

void Run::report(SweepRecord& record) {
  time_.free_of_charge([&] {
    Objective& objective = full_objective();
    const Work before = objective.work();
    objective.refresh();
    record.value = objective.value();
    uncharged_work_ += objective.work() - before;
  });
  last_report_ = time_.charged();
}

void Run::report_if_due() {
  const double every = scheme_.reporting.every_seconds;
  if (every <= 0 || value_is_told() || time_.charged() - last_report_ < every) return;
  SweepRecord record = snapshot();
  report(record);
  validate(record, sweep_);
  keep_best(record, sweep_);
  result_.history.push_back(record);
  if (scheme_.observers.sweep) scheme_.observers.sweep(record);
}

// The weights there are and, where they are averaged, their mean: the better of the two is recorded.
void Run::validate(SweepRecord& record, std::size_t sweeps_done) {
  if (!held_out_) return;
  time_.free_of_charge([&] {
    record.validation_loss = offer_weights(sweeps_done);
    if (!averages() || average_.mean.empty()) return;
    put_aside_.assign(network_.weights().begin(), network_.weights().end());
    put(average_.mean);
    record.validation_loss = std::min(record.validation_loss, offer_weights(sweeps_done));
    put(put_aside_);
  });
}

// Returns their mean loss on the validation rows.
double Run::offer_weights(std::size_t sweeps_done) {
  held_out_->refresh();
  const double loss = held_out_->value();
  const auto& error = options_.validation.error;
  if (best_.offer(error ? error(network_) : loss, sweeps_done, std::as_const(network_).weights())) {
    best_.validation_loss = loss;
    best_.begin_patience_anew(options_.validation.least_gain, looks_);
  }
  return loss;
}

// A look passes over all validation rows: at least as many are trained on in between. Where batches grow, patience has to last
// until they have.
std::size_t Run::rows_between_looks() const {
  const bool grows = scheme_.batches.grow_below > 0 && scheme_.batches.grow_after > 0;
  return std::max(held_out_->selected_rows(),
                  grows ? batches_.stretch() : Validation::batches_between_looks * batches_.size());
}

// Inside a long sweep; its end is a look of its own.
void Run::look_if_due() {
  if (!held_out_) return;
  rows_since_look_ += batch_objective_->selected_rows();
  if (std::min(rows_since_look_, batches_.rows_left(batches_done_)) < rows_between_looks()) return;
  rows_since_look_ = 0;
  ++looks_;
  SweepRecord look = snapshot();
  validate(look, sweep_);
  if (batches_.epochs_are_long()) {
    result_.history.push_back(look);
    if (scheme_.observers.sweep) scheme_.observers.sweep(look);
  }
  interrupted();
}

// Weights that never get better than the first ones are not worth having.
void Run::validate_start() {
  if (!held_out_) return;
  SweepRecord start;
  validate(start, 0);
}

void Run::keep_best(const SweepRecord& record, std::size_t sweeps_done) {
  if (!held_out_) best_.offer(record.value, sweeps_done, std::as_const(network_).weights());
}

SweepRecord Run::snapshot() const {
  SweepRecord record;
  record.sweep = sweep_;
  if (statistics_.losses > 0)
    record.mean_loss = statistics_.loss_sum / static_cast<double>(statistics_.losses);
  record.gradient_norm = gradient_norm_;
  record.step_size = step_size_ * step_cut_;
  record.batch_size = batches_.size();
  record.refused = statistics_.refused;
  record.undone = statistics_.undone;
  record.work = work();
  record.seconds = time_.charged();
  record.elapsed_seconds = time_.elapsed();
  return record;
}

Work Run::work() const {
  Work total = batch_objective_->work();
  if (ahead_) total += ahead_->work();
  total += retired_work_;
  if (full_objective_) total += full_objective_->work();
  return total - uncharged_work_;
}

// The network gets the best weights seen; value and gradient are measured there, outside the charged time.
TrainingResult Run::finish(StopReason reason) {
  result_.reason = reason;
  result_.sweeps = sweep_ + 1;
  result_.seconds = time_.charged();
  result_.work = work();
  result_.updates_per_layer = statistics_.updates_per_layer;
  result_.refused = statistics_.refused_in_all;
  put(best_.weights());
  if (!full_objective_ && batch_objective_->options().precision != options_.objective.precision)
    full_objective_ = std::make_unique<Objective>(network_, rows_.training, options_.objective);
  if (!options_.measure_result || shared_clock_.agreed(options_.measure_result(epochs_were_long_)))
    measure_result();
  result_.best_sweep = best_.sweep;
  if (held_out_) result_.validation_loss = best_.validation_loss;
  // The value at the start is not known to minibatch methods, and they may have made it worse.
  if (step_cut_ < 1 && !held_out_) prefer(last_finite_);
  if ((step_cut_ < 1 || statistics_.takes_gradient_steps) && !held_out_) prefer(best_.start);
  result_.processes = options_.engine->processes().size();
  result_.traffic = traffic();
  shared_clock_.synchronise();
  result_.elapsed_seconds = time_.elapsed();
  if (result_.refused > 0)
    result_.notes += ", " + std::to_string(result_.refused) + " steps refused (not finite or no decrease)";
  if (step_cut_ < 1 && statistics_.takes_gradient_steps)
    result_.notes += ", step size halved " + std::to_string(-std::ilogb(step_cut_)) + " times";
  result_.write_message();
  return std::move(result_);
}

void Run::prefer(const Vector& weights) {
  const auto current = network_.weights();
  const Vector kept(current.begin(), current.end());
  const double value = result_.value;
  put(weights);
  measure_result();
  if (result_.value < value || (std::isfinite(result_.value) && !std::isfinite(value))) return;
  put(kept);
  measure_result();
}

// Of all processes.
Traffic Run::traffic() {
  Communicator& processes = options_.engine->processes();
  Traffic sum;
  for (const Traffic& one :
       all_gather(processes, Traffic{processes.traffic().messages - traffic_before_.messages,
                                     processes.traffic().bytes - traffic_before_.bytes})) {
    sum.messages += one.messages;
    sum.bytes += one.bytes;
  }
  return sum;
}

// After long epochs of minibatches the gradient on all rows takes as long as many steps, and says little.
void Run::measure_result() {
  full_objective().refresh();
  if (epochs_were_long_) {
    result_.value = full_objective().value();
    return;
  }
  gradient_.resize(network_.size());
  result_.value = full_objective().value_and_gradient(gradient_);
  result_.gradient_norm = norm(gradient_);
}

}  // namespace strata
