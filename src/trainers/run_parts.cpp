#include "trainers/run_parts.h"

namespace strata {

void SweepStatistics::begin_sweep() {
  visits = skipped = refused = undone = losses = 0;
  loss_sum = skipped_gradient_squares = 0;
  std::fill(layer_visits.begin(), layer_visits.end(), std::size_t{0});
}

void SweepStatistics::add(const StepRecord& step, double little) {
  for (std::size_t l = step.block.first; l <= step.block.last; ++l) {
    updates_per_layer[l] += static_cast<std::size_t>(step.iterations);
    const bool others_did = step.block.is_part() && layer_visits[l] > 0 && !decreased_little[l];
    decreased_little[l] = !others_did && (step.before - step.after) / std::max(step.before, 1.0) <= little;
    ++layer_visits[l];
  }
  ++visits;
  if (std::exchange(first_of_batch, false)) {
    for (double* sum : {&loss_sum, &stretch.loss_sum}) *sum += step.before;
    ++losses, ++stretch.losses;
  }
  if (step.skipped) {
    ++skipped;
    skipped_gradient_squares += step.gradient_norm * step.gradient_norm;
  }
  refused += step.refused ? 1 : 0;
  refused_in_all += step.refused ? 1 : 0;
  refused_in_a_row = not_finite(step) ? refused_in_a_row + 1 : 0;
  takes_gradient_steps = takes_gradient_steps || !std::isnan(step.step_size);
}

}  // namespace strata
