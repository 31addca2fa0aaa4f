#pragma once

#include <cstddef>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/stop_reason.h"
#include "strata/core/work.h"
#include "strata/network/architecture.h"
#include "strata/parallel/communicator.h"

namespace strata {

inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

// One visit of a block. Numbers that a method does not compute are `not_measured`.
struct StepRecord {
  std::size_t member = 0;  // of the model, where several networks are trained
  std::size_t sweep = 0;
  std::size_t batch = 0;
  Block block;
  double before = not_measured;         // f of the batch before the step; gradient steps: its mean loss alone
  double after = not_measured;          // f of the batch at the accepted point
  double gradient_norm = not_measured;  // of the block, before the step
  double step_length = not_measured;    // ||w~ - w||; 0 where the block stays as it was
  double trial = not_measured;          // f at the point the update proposed, and its distance: those of the
  double trial_length = not_measured;   // accepted point unless the step fell back
  double armijo = not_measured;         // f at the Armijo point of steepest descent
  double margin_armijo = not_measured;  // condition (1):  armijo - after >= 0
  double margin_forcing = not_measured;  // condition (2): before - after - sigma(||w~ - w||) >= 0
  double step_size = not_measured;       // alpha of a gradient step
  bool fallback = false;                 // the trial point was refused, the Armijo point taken
  bool skipped = false;                  // the block's gradient was within the tolerance: nothing done
  bool refused = false;                  // not finite, or no decrease: the block stays as it was
  StopReason reason = StopReason::max_iterations;  // of the inner solve
  std::string_view message;
  int iterations = 0;  // of the inner solve: "updates" in the paper's Table 5
  Work work;           // of the visit, acceptance test included
  double seconds = 0;  // charged time when the visit ended
};

// One pass over the batches: a sweep of the batch scheme, an epoch of the minibatch scheme.
struct SweepRecord {
  std::size_t member = 0;  // of the model, where several networks are trained
  std::size_t sweep = 0;
  double mean_loss = not_measured;        // mean of `before` over the batches, each at its first block
  double value = not_measured;            // full objective, where it was evaluated
  double gradient_norm = not_measured;    // of the full objective, where it was evaluated
  double validation_loss = not_measured;  // mean loss over the validation rows, where there are any
  double step_size = not_measured;
  std::size_t batch_size = 0;
  std::size_t refused = 0;     // steps refused in this sweep
  std::size_t undone = 0;      // minibatches whose steps were undone, because other rows suffered
  Work work;                   // so far
  double seconds = 0;          // charged so far: the method's own time
  double elapsed_seconds = 0;  // so far, with evaluations that are only reported
};

struct TrainingResult {
  StopReason reason = StopReason::max_sweeps;
  std::string message;          // brief(), and what else there is to say of the run
  std::string notes;            // the latter
  double value = not_measured;  // full objective at the weights left in the network, the best found
  double gradient_norm =
      not_measured;  // of the full objective there; not of a minibatch method's long epochs
  double validation_loss = not_measured;  // there, where there are validation rows
  std::size_t best_sweep = 0;             // sweeps done when those weights were found
  std::size_t sweeps = 0;
  std::size_t refused = 0;                          // steps that were not finite or did not decrease
  std::vector<std::size_t> updates_per_layer = {};  // inner iterations, by layer
  Work work;
  std::size_t processes = 1;   // that shared the rows
  Traffic traffic;             // between processes, where several share the rows
  double seconds = 0;          // charged to the method
  double elapsed_seconds = 0;  // with reported evaluations
  std::vector<SweepRecord> history;
  std::vector<StepRecord> steps;  // where the scheme keeps them

  [[nodiscard]] std::string brief() const;  // "gradient_tolerance after 41 sweeps, f = 3.1e-03, 2.4 s"
  void write_message() { message = brief() + notes; }  // again after every change of what it tells
};

// One JSON object on one line; numbers that were not measured are null.
std::string to_json(const StepRecord& record);
std::string to_json(const SweepRecord& record);

}  // namespace strata
