// Saving the state of a run and going on from it. A state belongs to a border: all visits before it are done, nothing of
// the next one is, and what happens at the end of a sweep has not happened either, so that a run which ends there by a
// limit or a user continues as if it had not.
#include <algorithm>
#include <string>

#include "strata/core/errors.h"
#include "strata/core/fields.h"
#include "trainers/fingerprint.h"
#include "trainers/run.h"
#include "trainers/saved_parts.h"

namespace strata {

namespace {

constexpr std::uint64_t state_version = 7;

// Reasons that stand, whatever the limits of the next run are.
bool lasts(StopReason reason) { return converged(reason) || reason == StopReason::non_finite; }

void require(bool sound, std::string_view what) {
  if (!sound) throw Error("the saved state has " + std::string(what) + " that cannot be: it is damaged");
}

}  // namespace

void Run::prepare_checkpoints(const TrainingRows& rows) {
  const State* saved = options_.checkpoints.resume;
  if (!checkpointer_.wanted() && !saved) return;
  put_fingerprint(checkpointer_.fingerprint, network_, rows, scheme_, options_);
  if (!saved) return;
  try {
    restore(*saved);
  } catch (const Error& problem) {
    if (saved->origin().empty()) throw;
    throw DataError({saved->origin()}, problem.what());
  }
}

void Run::reach_border() {
  if (!checkpointer_.wanted()) return;
  checkpointer_.work = work();
  checkpointer_.elapsed = time_.elapsed();
  checkpointer_.seconds = time_.charged(checkpointer_.elapsed);
  checkpointer_.valid_layers = batch_objective_->valid_layers();
  checkpointer_.valid_layers_of_all_rows = full_objective_ ? full_objective_->valid_layers() : 0;
  checkpointer_.asked.reset();
  if (checkpointer_.due()) keep_checkpoint();
}

// Called by updates in long solves. At the first question of a visit its update is still as it was at the border.
std::optional<StopReason> Run::interrupted_inside_a_visit() {
  if (checkpointer_.wanted() && !checkpointer_.asked) {
    checkpointer_.asked = blocks_[next_block_];
    checkpointer_.update = {};
    update_for(*checkpointer_.asked).save(checkpointer_.update);
  }
  shared_clock_.synchronise();
  if (interrupted()) {
    keep_checkpoint();
    checkpointer_.visit_was_cut = true;
  }
  return pending_;
}

void Run::keep_checkpoint() {
  if (!checkpointer_.wanted() || checkpointer_.visit_was_cut) return;
  time_.free_of_charge([this] {
    State state;
    save(state);
    options_.checkpoints.save(state);
  });
  checkpointer_.last_kept = time_.elapsed();
}

// What is one value or a vector with a name of its own, in one list for both directions.
template <class With>
void Run::exchange(const With& with) {
  with("sweep", sweep_), with("batches_done", batches_done_), with("iterations", iterations_);
  with("next_block", next_block_), with("blocks_are_chosen", blocks_are_chosen_);
  with("step_size", step_size_), with("step_cut", step_cut_), with("tolerance", tolerance_);
  with("previous_mean_loss", previous_mean_loss_), with("last_report", last_report_), with("value", value_);
  with("looks_ahead", looks_ahead_), with("before_ahead", before_ahead_), with("batch_start", batch_start_);
  with("restored", restored_), with("sweep_start", sweep_start_), with("last_finite", last_finite_);
  with("random", random_), with("looks", looks_), with("rows_since_look", rows_since_look_);
}

void Run::save(State& state) {
  state.put("version", state_version);
  state.part("run") = checkpointer_.fingerprint;
  const auto put_into = [](State& part) {
    return [&part](std::string_view name, const auto& value) { part.put(name, value); };
  };
  exchange(put_into(state));
  statistics_.exchange(put_into(state.part("statistics")));
  best_.exchange(put_into(state.part("best")));
  average_.exchange(put_into(state.part("average")));
  checkpointer_.exchange(put_into(state.part("border")));
  put_work(state, "work", checkpointer_.work);
  state.put("weights", std::as_const(network_).weights());
  state.put("place", name_of(place_));
  put_blocks(state, "blocks", blocks_);
  state.put("reason", pending_ && lasts(*pending_) ? to_string(*pending_) : "none");
  state.put("whole", !full_objective_);
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
    if (checkpointer_.asked == block)
      part = checkpointer_.update;
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
                        "this program reads version " + std::to_string(state_version) +
                            " of checkpoints; start the run again");
  require_same(state.part("run"), checkpointer_.fingerprint, scheme_);
  const auto get_from = [](const State& part) {
    return [&part](std::string_view name, auto& value) { part.get(name, value); };
  };
  exchange(get_from(state));
  statistics_.exchange(get_from(state.part("statistics")));
  best_.exchange(get_from(state.part("best")));
  average_.exchange(get_from(state.part("average")));
  checkpointer_.exchange(get_from(state.part("border")));

  require(read_name(state.text("place"), place_), "a place in the sweep");
  get_blocks(state, "blocks", blocks_);
  const auto fits = [this](const Block& block) { return network_.architecture().has(block); };
  require(std::all_of(blocks_.begin(), blocks_.end(), fits) && next_block_ <= blocks_.size(), "blocks");
  for (const Vector* weights : {&batch_start_, &sweep_start_, &last_finite_})
    require(weights->empty() || weights->size() == network_.size(), "weights");
  require(best_.fits(network_.size()) && average_.fits(network_.size()), "weights");
  require(statistics_.fits(network_.layers()), "counts by layer");
  if (const std::string& reason = state.text("reason"); reason != "none") {
    StopReason known{};
    require(read_name(reason, known) && lasts(known), "a reason");
    pending_ = known;
  }
  get_records(state, "history", result_.history);
  get_records(state, "steps", result_.steps);
  require(place_ != Place::end || !result_.history.empty(), "an empty history");

  batches_.restore(state.part("batches"), result_.history.size() + 1);
  selection_->restore(state.part("selection"));
  restore_updates(state.part("updates"));
  restore_objectives(state);
  time_.restart(checkpointer_.elapsed, checkpointer_.seconds);
  checkpointer_.last_kept = checkpointer_.elapsed;
  interrupted();  // a limit that is reached already
}

void Run::restore_updates(const State& state) {
  std::vector<Block> made;
  get_blocks(state, "blocks", made);
  for (std::size_t i = 0; i < made.size(); ++i) {
    require(network_.architecture().has(made[i]), "blocks");
    make_update(made[i]).restore(state.part(std::to_string(i)));
  }
}

// The weights, the rows that were selected and the activations that were in the cache. Computing them again is no work of
// the method.
void Run::restore_objectives(const State& state) {
  bool whole = false;
  state.get("whole", whole);
  const std::size_t valid = checkpointer_.valid_layers;
  const std::size_t valid_of_all_rows = checkpointer_.valid_layers_of_all_rows;
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
