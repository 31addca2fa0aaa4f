#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/core/state.h"
#include "strata/trainers/scheme.h"
#include "trainers/run_parts.h"
#include "trainers/shared_clock.h"

namespace strata {

// Steps in a row that were not finite before a run gives up: halving the step 50 times has not helped.
inline constexpr std::size_t most_refusals = 50;

// The state of one training run. A scheme is constant; everything that changes lives and ends here.
class Run {
 public:
  Run(Network& network, const TrainingRows& rows, const Scheme& scheme, const TrainOptions& options);
  TrainingResult go();

 private:
  // The parts of a sweep, and the one that comes next.
  enum class Place { start, all_rows, batches, end };
  friend constexpr auto names_of(Place /*place*/) {
    return std::to_array<std::string_view>({"start", "all_rows", "batches", "end"});
  }
  void begin_sweep();
  void visit_all_rows();
  void visit_batches();
  void visit_batch(std::size_t batch, std::size_t next);
  void begin_batch(std::size_t batch, std::size_t next);
  void look_at(std::size_t batch);
  void choose_rows(std::size_t batch);
  double value_ahead();
  void undo_if_others_suffer();
  void visit_blocks(Objective& objective, std::size_t batch, bool whole_data);
  void visit(Objective& objective, Block block, std::size_t batch);
  void step_back_if_not_finite(const StepRecord& step, Objective& objective);
  void take_note_of(const StepRecord& step);
  std::optional<StopReason> end_of_whole_solve(const StepRecord& step) const;
  void advance_step_size();
  std::optional<StopReason> end_sweep();
  void end_stretch_if_due();
  void grow_batches();
  void become_whole();
  TrainingResult finish(StopReason reason);
  void measure_result();
  [[nodiscard]] Traffic traffic();
  void prefer(const Vector& weights);
  void put(const Vector& weights) { std::copy(weights.begin(), weights.end(), network_.weights().begin()); }

  // Reporting, outside the charged time.
  void report(SweepRecord& record);
  void report_if_due();
  void validate(SweepRecord& record, std::size_t sweeps_done);
  double offer_weights(std::size_t sweeps_done);
  void validate_start();
  void keep_best(const SweepRecord& record, std::size_t sweeps_done);
  void look_if_due();
  [[nodiscard]] std::size_t rows_between_looks() const;
  [[nodiscard]] bool averages() const {
    return held_out_ && full_objective_ && options_.validation.average > 0;
  }

  // Checkpoints: run_checkpoint.cpp.
  void prepare_checkpoints(const TrainingRows& rows);
  void reach_border();
  void keep_checkpoint();
  void save(State& state);
  void save_updates(State& state) const;
  void restore(const State& state);
  void restore_updates(const State& state);
  void restore_objectives(const State& state);
  template <class With>
  void exchange(const With& with);

  // Stopping: run_stopping.cpp.
  [[nodiscard]] std::vector<StoppingRule> stopping_rules();
  std::optional<StopReason> interrupted();
  std::optional<StopReason> interrupted_inside_a_visit();
  [[nodiscard]] bool has_time_for_batch() const;
  [[nodiscard]] bool no_step_helps() const;
  bool gradient_is_small();
  bool gradient_norm_is_small();  // after a full pass, which is counted

  Update& update_for(Block block);
  Update& make_update(Block block);
  [[nodiscard]] double tolerance_of(Block block) const;
  [[nodiscard]] bool is_whole(Block block) const { return block == network_.whole() && !full_objective_; }
  // A step on all rows has just computed the full objective; gradient steps do not.
  [[nodiscard]] bool value_is_told() const { return !full_objective_ && std::isfinite(value_); }
  [[nodiscard]] bool is_on_all_rows(const Objective& objective) { return &objective == &full_objective(); }
  [[nodiscard]] ObjectiveOptions on_batches() const;
  Objective& full_objective() { return full_objective_ ? *full_objective_ : *batch_objective_; }
  const Vector& layer_gradient_norms(Objective& objective);
  [[nodiscard]] double progress() const;
  [[nodiscard]] SweepRecord snapshot() const;
  [[nodiscard]] Work work() const;

  Network& network_;
  const TrainingRows rows_;
  const Scheme& scheme_;
  const TrainOptions& options_;
  SharedClock shared_clock_;
  ChargedTime time_;
  Traffic traffic_before_;  // what this process had sent when the run began
  RandomStream random_;
  Batches batches_;
  std::unique_ptr<Objective> batch_objective_;  // on the current batch
  std::unique_ptr<Objective> ahead_;            // on the next one, where the scheme looks ahead
  std::unique_ptr<PackedRows> batch_rows_;      // what the two were gathered into
  std::unique_ptr<PackedRows> rows_ahead_;
  std::unique_ptr<Objective>
      full_objective_;  // where batches are smaller than the data: all rows, in their own order
  std::unique_ptr<Objective> held_out_;  // where there are validation rows: their mean loss
  std::unique_ptr<Selection> selection_;
  std::vector<std::pair<Block, std::unique_ptr<Update>>> updates_;
  std::function<std::optional<StopReason>()> interrupt_;
  std::vector<Block> blocks_;   // of this batch
  std::size_t next_block_ = 0;  // index of the next of them
  bool blocks_are_chosen_ = false;
  Place place_ = Place::start;
  Vector gradient_, gradient_norms_;
  Vector put_aside_;  // weights while others are measured

  SweepStatistics statistics_;
  BestWeights best_;
  AverageWeights average_;
  std::size_t looks_ = 0;  // at the validation rows, or sweeps without one
  std::size_t rows_since_look_ = 0;
  Checkpointer checkpointer_;
  std::vector<StoppingRule> rules_;
  std::optional<StopReason> pending_;  // a reason met inside a sweep

  Work uncharged_work_;
  Work retired_work_;  // of objectives that are no longer needed
  double previous_mean_loss_ = not_measured;
  double last_report_ = 0;
  std::size_t sweep_ = 0;
  std::size_t batches_done_ = 0;            // in this sweep
  bool looks_ahead_ = false;                // with this batch
  double before_ahead_ = 0;                 // f on the rows of the next one, before this one was visited
  std::optional<std::size_t> batch_ahead_;  // the one whose rows ahead_ has, its activations fresh
  std::size_t iterations_ = 0;              // minibatches in all
  double step_size_ = 0;
  double step_cut_ = 1;
  double tolerance_ = 0;

  double value_ = not_measured;          // full objective, where a step on all rows has just told it
  double gradient_norm_ = not_measured;  // of the full objective, where a rule asked for it in this sweep

  Vector batch_start_;             // weights before the current minibatch, where the scheme looks ahead
  Vector sweep_start_;             // weights when the sweep began
  Vector last_finite_;             // the last of them that gave a finite function; empty: none yet
  bool restored_ = false;          // they were put back in this sweep
  bool epochs_were_long_ = false;  // when the run began, before batches grew
  double batch_seconds_ = 0;       // that the last batch took

  TrainingResult result_;
};

}  // namespace strata
