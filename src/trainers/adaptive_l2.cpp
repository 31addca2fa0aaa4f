#include "strata/trainers/adaptive_l2.h"

#include <algorithm>
#include <utility>

#include "strata/core/errors.h"
#include "strata/parallel/collective.h"
#include "trainers/saved_parts.h"

namespace strata {

namespace {

constexpr double first_share = 1;          // nothing is explained yet
constexpr double worth_another_run = 0.3;  // of the share that a run took
constexpr double least_share = 1e-12;      // a table that is fitted to the last digit
constexpr double least_seconds = 1e-3;     // of a run that was worth while when there was more
// A run goes on with batches of the last one's size over this: from the first size, the validation error would rise for so many
// sweeps that a short patience ends the run there (docs/mathematics.md).
constexpr std::size_t smaller_batches = 4;

// Of all rows, in their order, wherever they are.
Vector targets_of(const PackedRows& rows) {
  Vector own;
  own.reserve(rows.own_panels().size() * PackedRows::panel_rows * rows.outputs());
  for (const std::size_t panel : rows.own_panels()) {
    const Vector part = rows.target_rows(panel);
    own.insert(own.end(), part.begin(), part.end());
  }
  Communicator& processes = rows.engine().processes();
  return processes.alone() ? own : gathered(own, processes);
}

// The mean loss of predicting the same for all rows, as well as that can be done.
double loss_of_a_constant(const Loss& loss, const PackedRows& data) {
  const Vector targets = targets_of(data);
  const Vector weights = gathered(data.row_weights(), data.engine().processes());
  const std::size_t rows = data.rows();
  Vector constant(loss.outputs(data.outputs()));
  loss.best_constant({targets.data(), rows, data.outputs()}, weights, constant);
  double sum = 0;
  double total = 0;
  for (std::size_t row = 0; row < rows; ++row) {  // a panel of one sample
    const double weight = weights.empty() ? 1 : weights[row];
    sum += weight * loss.value({constant.data(), constant.size(), 1},
                               {targets.data() + row * data.outputs(), data.outputs(), 1}, {}, 1);
    total += weight;
  }
  return sum / total;
}

// One run after the other.
class Runs {
 public:
  Runs(const TrainingRows& rows, const Scheme& scheme, const TrainOptions& options)
      : rows_(rows),
        options_(options),
        limits_(scheme.stopping),
        scheme_(scheme),
        constant_(loss_of_a_constant(*options.objective.loss, *rows.validation)),
        count_(static_cast<double>(rows.training.rows())) {
    found_.l2 = first_share / count_;
    if (const State* const saved = options.checkpoints.resume; saved != nullptr) restore(*saved);
    if (options.checkpoints.save)
      options_.checkpoints.save = [this, save = options.checkpoints.save](const State& state) {
        save(with_own(state));
      };
    scheme_.stopping.callback = [this](const SweepRecord& record) {
      if (limits_.callback && limits_.callback(record)) return true;
      found_less_ = is_worth_another_run(record.validation_loss) && has_time_after(record);
      batch_ = record.batch_size;
      return found_less_;
    };
    options_.measure_result = [this, measure = options.measure_result](bool in_one_pass) {
      return !found_less_ && (!measure || measure(in_one_pass));
    };
  }

  AdaptiveL2Result train_all(Network& network) {
    for (;;) {
      found_less_ = false;
      options_.objective.l2 = found_.l2;
      if (limits_.max_sweeps > 0) scheme_.stopping.max_sweeps = limits_.max_sweeps - sweeps_before_;
      if (limits_.seconds > 0)
        scheme_.stopping.seconds = std::max(least_seconds, limits_.seconds - seconds_before_);
      found_.training = train(network, rows_, scheme_, options_);
      const double share = share_of(found_.training.validation_loss);
      add_earlier();
      // The first process's word: a callback of the user may have ended the run there at the same sweep.
      if (!broadcast_value(rows_.training.engine().processes(), found_less_)) return std::move(found_);
      found_.l2 = share / count_;
      if (scheme_.batches.grow_below > 0)
        scheme_.batches.size = std::max(scheme_.batches.size, batch_ / smaller_batches);
      options_.checkpoints.resume = nullptr;
    }
  }

 private:
  [[nodiscard]] double share_of(double loss) const { return std::clamp(loss / constant_, least_share, 1.0); }
  [[nodiscard]] bool is_worth_another_run(double loss) const {
    return share_of(loss) / count_ < worth_another_run * found_.l2;
  }
  [[nodiscard]] bool has_time_after(const SweepRecord& record) const {
    return (limits_.max_sweeps == 0 || sweeps_before_ + record.sweep + 1 < limits_.max_sweeps) &&
           (limits_.seconds == 0 || seconds_before_ + record.seconds < limits_.seconds);
  }

  // What was done before the last run is added to its result.
  void add_earlier() {
    TrainingResult& last = found_.training;
    last.best_sweep += sweeps_before_;
    sweeps_before_ = last.sweeps += sweeps_before_;
    seconds_before_ = last.seconds += seconds_before_;
    elapsed_before_ = last.elapsed_seconds += elapsed_before_;
    last.work += work_before_;
    work_before_ = last.work;
    last.write_message();
  }

  [[nodiscard]] State with_own(State state) const {
    state.put("adaptive_l2", found_.l2);
    state.put("adaptive_batch", scheme_.batches.size);
    state.put("adaptive_sweeps", sweeps_before_);
    state.put("adaptive_seconds", seconds_before_);
    state.put("adaptive_elapsed_seconds", elapsed_before_);
    put_work(state, "adaptive_work", work_before_);
    return state;
  }
  void restore(const State& state) {
    state.get("adaptive_l2", found_.l2);
    state.get("adaptive_batch", scheme_.batches.size);
    state.get("adaptive_sweeps", sweeps_before_);
    state.get("adaptive_seconds", seconds_before_);
    state.get("adaptive_elapsed_seconds", elapsed_before_);
    work_before_ = get_work(state, "adaptive_work");
  }

  TrainingRows rows_;
  TrainOptions options_;
  Stopping limits_;          // of all runs together
  Scheme scheme_;            // of the current run
  double constant_;          // the validation loss of the best constant
  double count_;             // training rows
  bool found_less_ = false;  // the run ended because another is worth while
  std::size_t sweeps_before_ = 0;
  double seconds_before_ = 0;
  double elapsed_before_ = 0;
  Work work_before_;
  std::size_t batch_ = 0;  // rows of one, in the last sweep
  AdaptiveL2Result found_;
};

}  // namespace

AdaptiveL2Result train_with_adaptive_l2(Network& network, const TrainingRows& rows, const Scheme& scheme,
                                        const TrainOptions& options) {
  if (rows.validation == nullptr)
    throw InvalidOption("l2", "auto",
                        "give validation rows, or a fraction of the training rows, to choose it by");
  return Runs(rows, scheme, options).train_all(network);
}

}  // namespace strata
