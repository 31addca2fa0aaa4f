#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "strata/core/state.h"
#include "strata/core/vector.h"
#include "strata/core/work.h"
#include "strata/trainers/checkpoint.h"
#include "strata/trainers/records.h"
#include "trainers/shared_clock.h"

// The parts of a run. Each owns its state; `exchange` lists what of it a checkpoint has, for saving and for restoring.
namespace strata {

// Seconds since the run began: all of them, and those that count. Reports and checkpoints are outside the charged time, unless
// all of it is charged.
class ChargedTime {
 public:
  ChargedTime(SharedClock& clock, bool charge_all) : shared_clock_(clock), charge_all_(charge_all) {}

  [[nodiscard]] double elapsed() const { return shared_clock_.now() - start_; }
  [[nodiscard]] double charged() const { return charged(elapsed()); }
  [[nodiscard]] double charged(double elapsed) const { return elapsed - uncharged_; }

  template <class Work>
  void free_of_charge(const Work& work) {
    shared_clock_.synchronise();
    const double before = shared_clock_.now();
    work();
    shared_clock_.synchronise();
    if (!charge_all_) uncharged_ += shared_clock_.now() - before;
  }

  void restart(double elapsed, double charged) {
    shared_clock_.synchronise();
    start_ = shared_clock_.now() - elapsed;
    uncharged_ = elapsed - charged;
  }

 private:
  SharedClock& shared_clock_;
  bool charge_all_;
  double start_ = 0;
  double uncharged_ = 0;
};

// What the visits of the current sweep were like, and what counts of those before it.
struct SweepStatistics {
  std::size_t visits = 0;
  std::size_t skipped = 0;
  std::size_t refused = 0;
  std::size_t undone = 0;  // batches
  std::size_t losses = 0;  // batches that were begun
  double loss_sum = 0;     // f of each when its first block was visited
  double skipped_gradient_squares = 0;
  bool first_of_batch = false;
  std::vector<std::size_t> layer_visits;

  // Since batches last grew or could have: rows visited, and the same of their batches.
  struct {
    std::size_t rows = 0;
    std::size_t losses = 0;
    double loss_sum = 0;
  } stretch;

  // Of the run.
  std::vector<bool> decreased_little;  // by layer, at its last visit, or all of a sweep's where it has parts
  std::vector<std::size_t> updates_per_layer;
  std::size_t refused_in_all = 0;
  std::size_t refused_in_a_row = 0;  // because not finite
  bool takes_gradient_steps = false;

  explicit SweepStatistics(std::size_t layers)
      : layer_visits(layers), decreased_little(layers), updates_per_layer(layers) {}

  void begin_sweep();
  void add(const StepRecord& step,
           double little);  // a relative decrease up to `little` does not count as one
  static bool not_finite(const StepRecord& step) {
    return step.refused && step.reason == StopReason::non_finite;
  }

  [[nodiscard]] bool idle() const { return visits > 0 && skipped == visits; }
  [[nodiscard]] bool all_refused() const { return visits > 0 && refused == visits; }
  [[nodiscard]] bool visited_every_layer() const { return std::ranges::count(layer_visits, 0U) == 0; }
  [[nodiscard]] bool visited_each_layer_once() const {
    return std::ranges::count(layer_visits, 1U) == std::ssize(layer_visits);
  }
  [[nodiscard]] bool every_layer_decreased_little() const {
    return std::ranges::count(decreased_little, false) == 0;
  }
  [[nodiscard]] bool fits(std::size_t layers) const {
    return layer_visits.size() == layers && decreased_little.size() == layers &&
           updates_per_layer.size() == layers;
  }

  void exchange(const auto& with) {
    with("visits", visits), with("skipped", skipped), with("refused", refused), with("undone", undone);
    with("losses", losses), with("loss_sum", loss_sum), with("first_of_batch", first_of_batch);
    with("skipped_gradient_squares", skipped_gradient_squares), with("layer_visits", layer_visits);
    with("decreased_little", decreased_little), with("updates_per_layer", updates_per_layer);
    with("refused_in_all", refused_in_all), with("refused_in_a_row", refused_in_a_row);
    with("takes_gradient_steps", takes_gradient_steps);
    with("stretch_rows", stretch.rows), with("stretch_losses", stretch.losses);
    with("stretch_loss_sum", stretch.loss_sum);
  }
};

// The weights with the lowest score: the error on the validation rows or, without them, the objective. Where nothing was
// measured, those that the run started with.
struct BestWeights {
  Vector start;
  Vector best;
  double score = not_measured;
  double validation_loss = not_measured;
  std::size_t sweep = 0;
  double gained = not_measured;  // the score when it last fell enough for the patience to begin anew,
  std::size_t looks = 0;         // and the looks made until then

  explicit BestWeights(std::span<const double> first) : start(first.begin(), first.end()) {}
  // False where the best is better.
  bool offer(double value, std::size_t sweeps_done, std::span<const double> weights) {
    if (!std::isfinite(value) || value >= score)
      return false;  // the latter is false as long as nothing was measured
    score = value;
    sweep = sweeps_done;
    best.assign(weights.begin(), weights.end());
    return true;
  }
  void begin_patience_anew(double least_gain, std::size_t looks_made) {
    if (score > gained - least_gain * std::abs(gained)) return;  // false as long as nothing was measured
    gained = score;
    looks = looks_made;
  }
  [[nodiscard]] const Vector& weights() const { return best.empty() ? start : best; }
  [[nodiscard]] bool fits(std::size_t size) const { return start.size() == size && weights().size() == size; }

  void exchange(const auto& with) {
    with("start", start), with("best", best), with("score", score), with("sweep", sweep);
    with("validation_loss", validation_loss), with("gained", gained), with("looks", looks);
  }
};

// The mean of the weights after each minibatch, older ones counting less and less. As long as there are few, the plain mean.
struct AverageWeights {
  Vector mean;
  double total = 0;  // of the shares so far, 1 in the long run

  void add(std::span<const double> weights, double share) {
    if (mean.empty()) mean.assign(weights.size(), 0.0);
    total += share * (1 - total);
    const double step = share / total;
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += step * (weights[i] - mean[i]);
  }
  [[nodiscard]] bool fits(std::size_t size) const { return mean.empty() || mean.size() == size; }

  void exchange(const auto& with) { with("mean", mean), with("total", total); }
};

// A reason to end a run, when to look for it, and whether it is there. Rules are asked in their order.
struct StoppingRule {
  enum class When {
    any_time,      // also inside a visit
    after_sweep,   // before the sweep is reported
    after_report,  // with its record
  };
  When when;
  StopReason reason;
  std::function<bool()> met;
};

inline std::optional<StopReason> first_met(const std::vector<StoppingRule>& rules, StoppingRule::When when) {
  for (const StoppingRule& rule : rules)
    if (rule.when == when && rule.met()) return rule.reason;
  return {};
}

// When states are saved, and the border they belong to: before a visit, or after the last of a sweep. What a run had cost
// there and what was in its caches, for by the time a state is saved the visit may have begun.
struct Checkpointer {
  const Checkpoints& options;
  State fingerprint = {};
  double last_kept = 0;        // elapsed seconds
  bool visit_was_cut = false;  // by a limit or the user: what follows is on no other run's path, nor saved

  Work work = {};
  double seconds = 0;
  double elapsed = 0;
  std::size_t valid_layers = 0;  // in the cache of the objective on the batch
  std::size_t valid_layers_of_all_rows = 0;
  std::optional<Block> asked = {};  // the block of this visit, once its update asked whether to stop
  State update = {};                // the state of that update when it did

  [[nodiscard]] bool wanted() const { return static_cast<bool>(options.save); }
  [[nodiscard]] bool due() const {
    return options.every_seconds > 0 && elapsed - last_kept >= options.every_seconds;
  }

  void exchange(const auto& with) {
    with("seconds", seconds), with("elapsed_seconds", elapsed), with("valid_layers", valid_layers);
    with("valid_layers_of_all_rows", valid_layers_of_all_rows);
  }
};

}  // namespace strata
