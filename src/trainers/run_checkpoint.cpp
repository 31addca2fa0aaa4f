// Saving the state of a run and going on from it. A state belongs to a border: all visits before it are done, nothing of
// the next one is, and what happens at the end of a sweep has not happened either, so that a run which ends there by a
// limit or a user continues as if it had not.
#include <algorithm>
#include <string>

#include "strata/core/errors.h"
#include "trainers/fingerprint.h"
#include "trainers/run.h"
#include "trainers/saved_parts.h"

namespace strata {

namespace {

constexpr std::uint64_t state_version = 1;

// Reasons that stand, whatever the limits of the next run are.
bool lasts(StopReason reason) { return converged(reason) || reason == StopReason::non_finite; }

void require(bool sound, std::string_view what) {
  if (!sound) throw Error("the saved state has " + std::string(what) + " that cannot be: it is damaged");
}

}  // namespace

void Run::prepare_checkpoints(const TrainingRows& rows) {
  last_kept_ = start_;
  const State* saved = options_.checkpoints.resume;
  if (!keeps_checkpoints() && !saved) return;
  put_fingerprint(fingerprint_, network_, rows, scheme_, options_);
  if (!saved) return;
  try {
    restore(*saved);
  } catch (const Error& problem) {
    if (saved->origin().empty()) throw;
    throw DataError({saved->origin()}, problem.what());
  }
}

void Run::reach_border() {
  if (!keeps_checkpoints()) return;
  const double now = shared_clock_.now();
  border_.work = work();
  border_.elapsed = now - start_;
  border_.seconds = border_.elapsed - uncharged_;
  border_.valid_layers = batch_objective_->valid_layers();
  border_.valid_layers_of_all_rows = full_objective_ ? full_objective_->valid_layers() : 0;
  border_.asked.reset();
  const double every = options_.checkpoints.every_seconds;
  if (every > 0 && now - last_kept_ >= every) keep_checkpoint();
}

// Called by updates in long solves. At the first question of a visit its update is still as it was at the border.
std::optional<StopReason> Run::interrupted_inside_a_visit() {
  if (keeps_checkpoints() && !border_.asked) {
    border_.asked = blocks_[next_block_];
    border_.update = {};
    update_for(*border_.asked).save(border_.update);
  }
  shared_clock_.synchronise();
  if (interrupted()) {
    keep_checkpoint();
    visit_was_cut_ = true;
  }
  return pending_;
}

// Outside the charged time.
void Run::keep_checkpoint() {
  if (!keeps_checkpoints() || visit_was_cut_) return;
  const double start = shared_clock_.now();
  State state;
  save(state);
  options_.checkpoints.save(state);
  shared_clock_.synchronise();
  last_kept_ = shared_clock_.now();
  uncharged_ += last_kept_ - start;
}

// Everything that is one value or a vector with a name of its own, in one list for both directions.
template <class Self, class Exchange>
void Run::exchange(Self& run, const Exchange& with) {
  with("sweep", run.sweep_);
  with("batches_done", run.batches_done_);
  with("next_block", run.next_block_);
  with("blocks_are_chosen", run.blocks_are_chosen_);
  with("iterations", run.iterations_);
  with("step_size", run.step_size_);
  with("step_cut", run.step_cut_);
  with("tolerance", run.tolerance_);
  with("previous_mean_loss", run.previous_mean_loss_);
  with("last_report", run.last_report_);
  with("value", run.value_);
  with("loss_sum", run.loss_sum_);
  with("losses", run.losses_);
  with("first_of_batch", run.first_of_batch_);
  with("looks_ahead", run.looks_ahead_);
  with("before_ahead", run.before_ahead_);
  with("batch_start", run.batch_start_);
  with("undone", run.undone_);
  with("refused", run.refused_);
  with("refused_in_a_row", run.refused_in_a_row_);
  with("visits", run.visits_);
  with("skipped", run.skipped_);
  with("skipped_gradient_squares", run.skipped_gradient_squares_);
  with("layer_visits", run.layer_visits_);
  with("decreased_little", run.decreased_little_);
  with("restored", run.restored_);
  with("takes_gradient_steps", run.takes_gradient_steps_);
  with("start_weights", run.start_weights_);
  with("sweep_start", run.sweep_start_);
  with("last_finite", run.last_finite_);
  with("best_score", run.best_score_);
  with("best_sweep", run.best_sweep_);
  with("best_weights", run.best_weights_);
  with("updates_per_layer", run.result_.updates_per_layer);
  with("refused_in_all", run.result_.refused);
  with("random", run.random_);
}

void Run::save(State& state) const {
  state.put("version", state_version);
  state.part("run") = fingerprint_;
  exchange(*this, [&state](std::string_view name, const auto& value) { state.put(name, value); });
  state.put("weights", std::as_const(network_).weights());
  state.put("place", static_cast<std::uint64_t>(place_));
  put_blocks(state, "blocks", blocks_);
  put_work(state, "work", border_.work);
  state.put("seconds", border_.seconds);
  state.put("elapsed_seconds", border_.elapsed);
  State::Integers reason;  // none, or one
  if (pending_ && lasts(*pending_)) reason.push_back(static_cast<std::uint64_t>(*pending_));
  state.put("reason", reason);
  state.put("whole", !full_objective_);
  state.put("valid_layers", border_.valid_layers);
  state.put("valid_layers_of_all_rows", border_.valid_layers_of_all_rows);
  batches_.save(state.part("batches"));
  selection_->save(state.part("selection"));
  save_updates(state.part("updates"));
  put_records(state, "history", result_.history);
  put_records(state, "steps", result_.steps);
}

void Run::save_updates(State& state) const {
  std::vector<Block> made;
  for (const auto& [block, update] : updates_) {
    State& part = state.part(std::to_string(made.size()));
    made.push_back(block);
    if (border_.asked == block)
      part = border_.update;
    else
      update->save(part);
  }
  put_blocks(state, "blocks", made);
}

void Run::restore(const State& state) {
  std::uint64_t version = 0;
  state.get("version", version);
  if (version != state_version)
    throw InvalidOption("resume", "version " + std::to_string(version),
                        "this program reads version " + std::to_string(state_version) + " of checkpoints");
  require_same(state.part("run"), fingerprint_);
  exchange(*this, [&state](std::string_view name, auto& value) { state.get(name, value); });

  const std::size_t place = state.integers("place", 1)[0];
  require(place <= static_cast<std::size_t>(Place::end), "a place in the sweep");
  place_ = static_cast<Place>(place);
  get_blocks(state, "blocks", blocks_);
  const auto fits = [this](const Block& block) { return block.last < network_.layers(); };
  require(std::all_of(blocks_.begin(), blocks_.end(), fits) && next_block_ <= blocks_.size(), "blocks");
  for (const Vector* weights : {&start_weights_, &batch_start_, &sweep_start_, &last_finite_, &best_weights_})
    require(weights->empty() || weights->size() == network_.size(), "weights");
  for (const auto& counts : {layer_visits_, result_.updates_per_layer})
    require(counts.size() == network_.layers(), "counts by layer");
  require(decreased_little_.size() == network_.layers(), "counts by layer");
  if (const auto& reason = state.integers("reason"); !reason.empty()) {
    require(lasts(static_cast<StopReason>(reason[0])), "a reason");
    pending_ = static_cast<StopReason>(reason[0]);
  }
  get_records(state, "history", result_.history);
  get_records(state, "steps", result_.steps);
  require(place_ != Place::end || !result_.history.empty(), "an empty history");

  batches_.restore(state.part("batches"));
  selection_->restore(state.part("selection"));
  restore_updates(state.part("updates"));
  double seconds = 0;
  double elapsed = 0;
  state.get("seconds", seconds);
  state.get("elapsed_seconds", elapsed);
  restore_objectives(state);
  shared_clock_.synchronise();
  start_ = shared_clock_.now() - elapsed;
  uncharged_ = elapsed - seconds;
  interrupted();  // a limit that is reached already
}

void Run::restore_updates(const State& state) {
  std::vector<Block> made;
  get_blocks(state, "blocks", made);
  for (std::size_t i = 0; i < made.size(); ++i) {
    require(made[i].last < network_.layers(), "blocks");
    make_update(made[i]).restore(state.part(std::to_string(i)));
  }
}

// The weights, the rows that were selected and the activations that were in the cache. Computing them again is no work of
// the method.
void Run::restore_objectives(const State& state) {
  bool whole = false;
  std::size_t valid = 0;
  std::size_t valid_of_all_rows = 0;
  state.get("whole", whole);
  state.get("valid_layers", valid);
  state.get("valid_layers_of_all_rows", valid_of_all_rows);
  const Work work_before = get_work(state, "work");
  const std::vector<std::size_t>& order = batches_.order();
  const bool inside = place_ == Place::batches && blocks_are_chosen_;
  require(std::max(valid, valid_of_all_rows) < network_.layers() && (whole || full_objective_), "layers");
  require(!inside || batches_done_ < order.size(), "a batch");
  state.get("weights", network_.weights());

  if (whole && full_objective_) become_whole();
  batch_objective_->refresh();
  if (full_objective_ && inside) choose_rows(order[batches_done_]);
  if (!full_objective_ || inside) batch_objective_->open({valid, valid});
  if (inside && looks_ahead_ && ahead_) look_at(order[(batches_done_ + 1) % order.size()]);
  if (full_objective_) {
    full_objective_->refresh();
    full_objective_->open({valid_of_all_rows, valid_of_all_rows});
  }
  retired_work_ += work_before - work();
}

}  // namespace strata
