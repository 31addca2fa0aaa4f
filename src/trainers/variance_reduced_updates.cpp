// Minibatch updates with full gradients or a table of them, whose steps need not shrink.
#include <algorithm>
#include <string>

#include "kernels/steps.h"
#include "strata/core/errors.h"
#include "trainers/gradient_update.h"

namespace strata {

namespace {

// w <- w - rate (G(w) - G(snapshot) + full gradient at the snapshot)     (Johnson & Zhang 2013), in the block's weights
// (Zhao et al. 2014). The snapshot is one of all layers: G(snapshot) has the other blocks there too.
class Svrg final : public GradientUpdate {
 public:
  Svrg(const SvrgOptions& options, const Network& network, Block block)
      : options_(options),
        block_(block),
        whole_(network.whole()),
        snapshot_(network.size()),
        full_(network.size(block)),
        at_snapshot_(network.size(block)) {}

  // Each block has a snapshot of its own, taken where the run stands: it may be new in the middle of a sweep.
  void begin_sweep(Objective& all_rows, std::size_t sweep) override {
    if (taken_ && usable_ && sweep % options_.snapshot_every != 0) return;
    const Network& network = all_rows.network();
    std::ranges::copy(network.weights(), snapshot_.begin());
    if (block_ == whole_) {
      all_rows.value_and_gradient(full_);
    } else {
      all_rows.refresh();
      all_rows.open(block_).value_and_gradient(network.weights(block_), full_);
    }
    taken_ = true;
    usable_ = all_finite(full_);
  }

  void save(State& state) const override {
    state.put("snapshot", snapshot_);
    state.put("full", full_);
  }
  void restore(const State& state) override {
    state.get("snapshot", std::span(snapshot_));
    state.get("full", std::span(full_));
    taken_ = true;
    usable_ = all_finite(full_);
  }

 private:
  bool move(BlockObjective& f, std::span<double> weights, std::span<double> gradient,
            StepContext& step) override {
    const double rate = options_.rate * step.step_cut;
    if (block_ == whole_)
      f.gradient(snapshot_, at_snapshot_);
    else
      gradient_at_snapshot(step);
    if (!usable_ || !all_finite(at_snapshot_)) return false;
    simd_steps().svrg(rate, gradient, at_snapshot_, full_, weights);
    step.record.step_size = rate;
    return true;
  }

  void gradient_at_snapshot(StepContext& step) {
    Network& network = step.network;
    current_.assign(network.weights().begin(), network.weights().end());
    step.objective.commit(whole_, snapshot_);
    step.objective.open(block_).gradient(network.weights(block_), at_snapshot_);
    step.objective.commit(whole_, current_);
  }

  SvrgOptions options_;
  Block block_, whole_;
  Vector snapshot_;  // of all layers
  Vector full_, at_snapshot_, current_;
  bool taken_ = false;
  bool usable_ = true;  // the full gradient is finite
};

// w <- w - rate (G_h - table_h + mean of the table),  table_h <- G_h     (Defazio, Bach & Lacoste-Julien 2014)
// The table holds one gradient per minibatch and starts at zero.
class Saga final : public GradientUpdate {
 public:
  Saga(const SagaOptions& options, std::size_t size, std::size_t batches)
      : options_(options), batches_(batches), mean_(size, 0.0) {
    const std::size_t bytes = size * batches * sizeof(double);
    if (bytes > options.memory_limit)
      throw InvalidOption("saga.memory_limit", std::to_string(options.memory_limit),
                          "the table of " + std::to_string(batches) + " minibatch gradients needs " +
                              std::to_string(bytes) + " bytes; use larger minibatches or raise the limit");
    table_.assign(size * batches, 0.0);
  }

  void save(State& state) const override {
    state.put("mean", mean_);
    state.put("table", table_);
  }
  void restore(const State& state) override {
    state.get("mean", std::span(mean_));
    state.get("table", std::span(table_));
  }

 private:
  bool move(BlockObjective& /*f*/, std::span<double> weights, std::span<double> gradient,
            StepContext& step) override {
    const double rate = options_.rate * step.step_cut;
    const auto row = std::span(table_).subspan(step.batch * weights.size(), weights.size());
    simd_steps().saga(rate, 1 / static_cast<double>(batches_), gradient, row, mean_, weights);
    step.record.step_size = rate;
    return true;
  }

  SagaOptions options_;
  std::size_t batches_;
  Vector mean_, table_;
};

}  // namespace

std::unique_ptr<Update> SvrgOptions::make(const UpdateSetup& setup) const {
  return std::make_unique<Svrg>(*this, setup.network, setup.block);
}
std::unique_ptr<Update> SagaOptions::make(const UpdateSetup& setup) const {
  // The table belongs to the whole network: a block would see gradients of changed neighbours.
  if (!(setup.block == setup.network.whole()))
    throw InvalidOption("selection", "layers", "saga updates all layers at once; select whole_network");
  if (!setup.fixed_partition)
    throw InvalidOption("batches.partition", "every_epoch",
                        "saga keeps one gradient per minibatch: use a fixed partition that does not grow");
  return std::make_unique<Saga>(*this, setup.network.size(), setup.batches);
}

}  // namespace strata
