#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/trainers/scheme.h"

namespace strata {

// Steps in a row that were not finite before a run gives up: halving the step 50 times has not helped.
inline constexpr std::size_t most_refusals = 50;

// The state of one training run. A scheme is constant; everything that changes lives and ends here.
class Run {
 public:
  Run(Network& network, const Dataset& data, const Scheme& scheme, const TrainOptions& options);
  TrainingResult go();

 private:
  // The parts of a sweep.
  void begin_sweep();
  void visit_batch(std::size_t batch);
  void visit_blocks(Objective& objective, std::size_t batch, bool whole_data);
  void visit(Objective& objective, Block block, std::size_t batch);
  void take_note_of(const StepRecord& step);
  void advance_step_size();
  std::optional<StopReason> end_sweep();
  TrainingResult finish(StopReason reason);

  // Reporting, outside the charged time.
  void report(SweepRecord& record);
  void report_if_due();
  void keep_best(double value);

  // Stopping rules.
  std::optional<StopReason> interrupted();
  std::optional<StopReason> should_stop();
  bool gradient_is_small();
  [[nodiscard]] bool decreases_are_small() const;

  Update& update_for(Block block);
  Objective& full_objective() { return full_objective_ ? *full_objective_ : batch_objective_; }
  const Vector& layer_gradient_norms(Objective& objective);
  [[nodiscard]] double charged() const { return options_.clock() - start_ - uncharged_; }
  [[nodiscard]] double progress() const;
  [[nodiscard]] SweepRecord snapshot() const;
  [[nodiscard]] Work work() const;

  Network& network_;
  const Scheme& scheme_;
  const TrainOptions& options_;
  RandomStream random_;
  Batches batches_;
  Objective batch_objective_;                  // on the current batch
  std::unique_ptr<PackedRows> all_rows_;       // where batches are smaller than the data:
  std::unique_ptr<Objective> full_objective_;  // all rows, in their own order
  std::unique_ptr<Selection> selection_;
  std::vector<std::pair<Block, std::unique_ptr<Update>>> updates_;
  std::function<std::optional<StopReason>()> interrupt_;
  std::vector<Block> blocks_;
  Vector gradient_, gradient_norms_;

  double start_ = 0;
  double uncharged_ = 0;
  Work uncharged_work_;
  double last_report_ = 0;
  std::size_t sweep_ = 0;
  std::size_t batches_done_ = 0;  // in this sweep
  std::size_t iterations_ = 0;    // minibatches in all
  double step_size_ = 0;
  double step_cut_ = 1;
  double tolerance_ = 0;

  // About the current sweep.
  double value_ = not_measured;  // full objective, where a step on all rows has just told it
  double loss_sum_ = 0;          // f of each batch when its first block was visited
  std::size_t refused_ = 0;
  std::size_t refused_in_a_row_ = 0;
  std::size_t visits_ = 0;
  std::size_t skipped_ = 0;
  double skipped_gradient_squares_ = 0;
  std::vector<bool> decreased_little_;  // by layer, at its last visit
  std::optional<StopReason> pending_;   // a reason met inside a sweep

  double best_value_ = not_measured;
  Vector best_weights_;
  TrainingResult result_;
};

}  // namespace strata
