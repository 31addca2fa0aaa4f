// What a run tells: the full objective along the way, and its result.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "trainers/run.h"

namespace strata {

// The full objective, outside the charged time and work.

void Run::report(SweepRecord& record) {
  shared_clock_.synchronise();
  const double start = shared_clock_.now();
  Objective& objective = full_objective();
  const Work before = objective.work();
  objective.refresh();
  record.value = objective.value();
  uncharged_work_ += objective.work() - before;
  shared_clock_.synchronise();
  uncharged_ += shared_clock_.now() - start;
  last_report_ = charged();
}

void Run::report_if_due() {
  const double every = scheme_.reporting.every_seconds;
  if (every <= 0 || value_is_told() || charged() - last_report_ < every) return;
  SweepRecord record = snapshot();
  report(record);
  validate(record);
  keep_best(record, sweep_);
  result_.history.push_back(record);
  if (scheme_.observers.sweep) scheme_.observers.sweep(record);
}

void Run::validate(SweepRecord& record) {
  if (!held_out_) return;
  shared_clock_.synchronise();
  const double start = shared_clock_.now();
  held_out_->refresh();
  record.validation_loss = held_out_->value();
  shared_clock_.synchronise();
  uncharged_ += shared_clock_.now() - start;
}

// Weights that never get better than the first ones are not worth having.
void Run::validate_start() {
  if (!held_out_) return;
  SweepRecord start;
  validate(start);
  keep_best(start, 0);
}

void Run::keep_best(const SweepRecord& record, std::size_t sweeps_done) {
  const double score = held_out_ ? record.validation_loss : record.value;
  if (!std::isfinite(score) || score >= best_score_)
    return;  // the latter is false as long as nothing was measured
  best_score_ = score;
  best_sweep_ = sweeps_done;
  best_weights_.assign(network_.weights().begin(), network_.weights().end());
}

SweepRecord Run::snapshot() const {
  SweepRecord record;
  record.sweep = sweep_;
  if (losses_ > 0) record.mean_loss = loss_sum_ / static_cast<double>(losses_);
  record.gradient_norm = gradient_norm_;
  record.step_size = step_size_ * step_cut_;
  record.batch_size = batches_.size();
  record.refused = refused_;
  record.undone = undone_;
  record.work = work();
  record.seconds = charged();
  record.elapsed_seconds = shared_clock_.now() - start_;
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
  result_.seconds = charged();
  result_.work = work();
  put(best_weights_.empty() ? start_weights_ : best_weights_);
  measure_result();
  result_.best_sweep = best_sweep_;
  if (held_out_) result_.validation_loss = best_score_;
  // The value at the start is not known to minibatch methods, and they may have made it worse.
  if (step_cut_ < 1 && !held_out_) prefer(last_finite_);
  if ((step_cut_ < 1 || takes_gradient_steps_) && !held_out_) prefer(start_weights_);
  result_.processes = options_.engine->processes().size();
  result_.traffic = traffic();
  shared_clock_.synchronise();
  result_.elapsed_seconds = shared_clock_.now() - start_;
  result_.message = result_.brief();
  if (result_.refused > 0)
    result_.message += ", " + std::to_string(result_.refused) + " steps refused (not finite or no decrease)";
  if (step_cut_ < 1 && takes_gradient_steps_)
    result_.message += ", step size halved " + std::to_string(-std::ilogb(step_cut_)) + " times";
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

void Run::measure_result() {
  full_objective().refresh();
  gradient_.resize(network_.size());
  result_.value = full_objective().value_and_gradient(gradient_);
  result_.gradient_norm = norm(gradient_);
}

}  // namespace strata
