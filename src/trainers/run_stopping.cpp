// When a run ends.
#include <cmath>

#include "trainers/run.h"

namespace strata {

// All rules of a run, in the order in which they are asked. A new one is a row here and a field of Stopping.
std::vector<StoppingRule> Run::stopping_rules() {
  using enum StoppingRule::When;
  const Stopping& s = scheme_.stopping;
  const std::size_t patience = options_.validation.patience;
  const auto patience_is_over = [this, patience] {
    return held_out_ && patience > 0 && looks_ >= best_.looks + patience;
  };
  return {
      {any_time, StopReason::early_stopping, patience_is_over},
      {any_time, StopReason::time_limit,
       [this, &s] { return s.seconds > 0 && time_.charged() >= s.seconds; }},
      {any_time, StopReason::max_evaluations,
       [this, &s] { return s.max_evaluations > 0 && work().evaluations >= s.max_evaluations; }},
      {any_time, StopReason::user_request, [this] { return shared_clock_.wants_to_stop(); }},
      {any_time, StopReason::non_finite, [this] { return statistics_.refused_in_a_row >= most_refusals; }},
      {after_sweep, StopReason::non_finite,
       [this] { return no_step_helps() && statistics_.refused_in_a_row > 0; }},
      {after_sweep, StopReason::gradient_tolerance,
       [this, &s] { return s.gradient_norm > 0 && gradient_is_small(); }},
      {after_sweep, StopReason::relative_decrease,
       [this, &s] {
         return s.relative_decrease > 0 && !full_objective_ && statistics_.every_layer_decreased_little();
       }},
      // Every layer was tried on all rows and none can be improved: nor will they be in the next sweep.
      {after_sweep, StopReason::line_search_failed,
       [this] { return no_step_helps() && statistics_.visited_every_layer(); }},
      {after_sweep, StopReason::max_sweeps,
       [this, &s] { return s.max_sweeps > 0 && sweep_ + 1 >= s.max_sweeps; }},
      {after_report, StopReason::objective_at_most,
       [this, &s] { return result_.history.back().value <= s.objective_at_most; }},
      {after_report, StopReason::early_stopping, patience_is_over},
      {after_report, StopReason::user_request,
       [this, &s] { return shared_clock_.agreed(s.callback && s.callback(result_.history.back())); }},
  };
}

// A reason once met stands, also when it was met inside a solve and whoever asked does not ask again.
std::optional<StopReason> Run::interrupted() {
  if (!pending_) pending_ = first_met(rules_, StoppingRule::When::any_time);
  return pending_;
}

// In long epochs batches may take seconds. One is begun where at least half of it should end within the limit.
bool Run::has_time_for_batch() const {
  const double limit = scheme_.stopping.seconds;
  return !epochs_were_long_ || limit == 0 || time_.charged() + batch_seconds_ / 2 < limit;
}

// A solve over all weights has the run's own tolerances: its end is the run's. But a relative decrease that is small in one
// iteration only ends the round; where the run has such a rule, that asks about the round.
std::optional<StopReason> Run::end_of_whole_solve(const StepRecord& step) const {
  const double wanted = scheme_.stopping.gradient_norm;
  const bool far = (step.reason == StopReason::gradient_tolerance && wanted > 0 && tolerance_ > wanted) ||
                   (step.reason == StopReason::relative_decrease && scheme_.stopping.relative_decrease > 0);
  if (is_whole(step.block) && !step.fallback && !step.refused && converged(step.reason) && !far)
    return step.reason;
  return {};
}

// On all rows, where the next sweep would find the same.
bool Run::no_step_helps() const { return statistics_.all_refused() && !full_objective_ && !restored_; }

bool Run::gradient_is_small() {
  if (!scheme_.stopping.gradient_every_sweep && !statistics_.idle()) return false;
  // After a sweep that changed nothing, the blocks' own gradients make up the whole one: no pass is needed.
  if (statistics_.idle() && statistics_.visited_each_layer_once() && !full_objective_) {
    gradient_norm_ = std::sqrt(statistics_.skipped_gradient_squares);
  } else {
    full_objective().refresh();
    return gradient_norm_is_small();
  }
  return gradient_norm_ <= scheme_.stopping.gradient_norm;
}

bool Run::gradient_norm_is_small() {
  gradient_.resize(network_.size());
  full_objective().value_and_gradient(gradient_);
  gradient_norm_ = norm(gradient_);
  return gradient_norm_ <= scheme_.stopping.gradient_norm;
}

}  // namespace strata
