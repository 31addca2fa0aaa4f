// Minibatch updates with full gradients or a table of them, whose steps need not shrink.
#include <algorithm>
#include <string>

#include "kernels/steps.h"
#include "strata/core/errors.h"
#include "trainers/gradient_update.h"

namespace strata {

namespace {

// w <- w - rate (G(w) - G(snapshot) + full gradient at the snapshot)     (Johnson & Zhang 2013)
class Svrg final : public GradientUpdate {
 public:
  Svrg(const SvrgOptions& options, std::size_t size)
      : options_(options), snapshot_(size), full_(size), at_snapshot_(size) {}

  void begin_sweep(Objective& all_rows, std::size_t sweep) override {
    if (usable_ && sweep % options_.snapshot_every != 0) return;
    const auto weights = all_rows.network().weights();
    std::copy(weights.begin(), weights.end(), snapshot_.begin());
    all_rows.value_and_gradient(full_);
    usable_ = all_finite(full_);
  }

  void save(State& state) const override {
    state.put("snapshot", snapshot_);
    state.put("full", full_);
  }
  void restore(const State& state) override {
    state.get("snapshot", std::span(snapshot_));
    state.get("full", std::span(full_));
    usable_ = all_finite(full_);
  }

 private:
  bool move(BlockObjective& f, std::span<double> weights, std::span<double> gradient,
            StepContext& step) override {
    const double rate = options_.rate * step.step_cut;
    f.gradient(snapshot_, at_snapshot_);
    if (!usable_ || !all_finite(at_snapshot_)) return false;
    simd_steps().svrg(rate, gradient, at_snapshot_, full_, weights);
    step.record.step_size = rate;
    return true;
  }

  SvrgOptions options_;
  Vector snapshot_, full_, at_snapshot_;
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

// SVRG's snapshot and SAGA's table belong to the whole network: a block would see gradients of changed neighbours.
void require_whole_network(std::string_view method, const UpdateSetup& setup) {
  if (!(setup.block == setup.network.whole()))
    throw InvalidOption("selection", "layers",
                        std::string(method) + " updates all layers at once; select whole_network");
}

}  // namespace

std::unique_ptr<Update> SvrgOptions::make(const UpdateSetup& setup) const {
  require_whole_network(kind, setup);
  return std::make_unique<Svrg>(*this, setup.network.size());
}
std::unique_ptr<Update> SagaOptions::make(const UpdateSetup& setup) const {
  require_whole_network(kind, setup);
  if (!setup.fixed_partition)
    throw InvalidOption("batches.partition", "every_epoch",
                        "saga keeps one gradient per minibatch: use a fixed partition that does not grow");
  return std::make_unique<Saga>(*this, setup.network.size(), setup.batches);
}

}  // namespace strata
