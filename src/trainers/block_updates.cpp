// Trial points for any block: L-BFGS and Armijo gradient steps.
#include <algorithm>

#include "trainers/trial_update.h"

namespace strata {

namespace {

class LbfgsUpdate final : public TrialUpdate {
 public:
  LbfgsUpdate(const BlockLbfgsOptions& options, std::size_t size) : options_(options), size_(size) {}

  void save(State& state) const override {
    if (options_.solver.keep_history) memory_.history.save(state.part("history"));
  }
  void restore(const State& state) override {
    if (options_.solver.keep_history)
      memory_.history.restore(state.part("history"), size_, options_.solver.memory);
  }

 private:
  void prepare(BlockObjective& f) override {
    if (options_.quadratic_output) f.use_quadratic_form();
  }

  void improve(BlockObjective& f, const Sample& before, const StepContext& step,
               SolveResult& trial) override {
    LbfgsOptions solver = options_.solver;
    if (step.tolerance > 0) solver.gradient_tolerance = step.tolerance;
    minimise(f, before, solver, memory_, trial, [&step](const SolveResult&) { return step.interrupt(); });
    if (trial.reason == StopReason::non_finite) memory_.history.clear();
  }

  [[nodiscard]] double measure(std::span<const double> gradient) const override {
    return detail::measure(options_.solver.gradient_norm, gradient);
  }

  BlockLbfgsOptions options_;
  std::size_t size_;  // of the block
  LbfgsMemory memory_;
};

class ArmijoGradientUpdate final : public TrialUpdate {
 public:
  explicit ArmijoGradientUpdate(const ArmijoStepsOptions& options)
      : options_(options), first_step_(options.solver.line_search.first_step) {}

  void save(State& state) const override {
    if (options_.from_last) state.put("first_step", first_step_);
  }
  void restore(const State& state) override {
    if (options_.from_last) state.get("first_step", first_step_);
  }

 private:
  void improve(BlockObjective& f, const Sample& before, const StepContext& step,
               SolveResult& trial) override {
    GradientStepsOptions solver = options_.solver;
    if (step.tolerance > 0) solver.gradient_tolerance = step.tolerance;
    solver.line_search.first_step = first_step_;
    minimise(f, before, solver, memory_, trial);
    if (options_.from_last && trial.iterations > 0 && memory_.line.step > 0)
      first_step_ = std::min(memory_.line.step / solver.line_search.shrink, longest_step);
  }

  static constexpr double longest_step = 1e12;  // the next trials must come down from it

  ArmijoStepsOptions options_;
  double first_step_;
  GradientStepsMemory memory_;
};

}  // namespace

std::unique_ptr<Update> BlockLbfgsOptions::make(const UpdateSetup& setup) const {
  return std::make_unique<LbfgsUpdate>(*this, setup.network.size(setup.block));
}
std::unique_ptr<Update> ArmijoStepsOptions::make(const UpdateSetup& /*setup*/) const {
  return std::make_unique<ArmijoGradientUpdate>(*this);
}

}  // namespace strata
