// Trial points for any block: L-BFGS and Armijo gradient steps.
#include "trainers/saved_parts.h"
#include "trainers/trial_update.h"

namespace strata {

namespace {

class LbfgsUpdate final : public TrialUpdate {
 public:
  LbfgsUpdate(const BlockLbfgsOptions& options, std::size_t size) : options_(options), size_(size) {
    check(options.solver);
  }

  void save(State& state) const override {
    put_options(state, "lbfgs", option_list());
    if (options_.solver.keep_history) memory_.history.save(state.part("history"));
  }
  void restore(const State& state) override {
    require_options(state, "lbfgs", option_list());
    if (options_.solver.keep_history)
      memory_.history.restore(state.part("history"), size_, options_.solver.memory);
  }

 private:
  [[nodiscard]] OptionList option_list() const {
    const LbfgsOptions& o = options_.solver;
    return {{"memory", static_cast<double>(o.memory)},
            {"max_iterations", o.max_iterations},
            {"max_evaluations", o.max_evaluations},
            {"gradient_tolerance", o.gradient_tolerance},
            {"relative_decrease", o.relative_decrease},
            {"keep_history", o.keep_history ? 1 : 0},
            {"line_search.decrease", o.line_search.decrease},
            {"line_search.curvature", o.line_search.curvature},
            {"line_search.max_trials", o.line_search.max_trials},
            {"quadratic_output", options_.quadratic_output ? 1 : 0}};
  }

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

  BlockLbfgsOptions options_;
  std::size_t size_;  // of the block
  LbfgsMemory memory_;
};

class ArmijoGradientUpdate final : public TrialUpdate {
 public:
  explicit ArmijoGradientUpdate(const GradientStepsOptions& options) : options_(options) { check(options); }

  void save(State& state) const override { put_options(state, "armijo_gradient_steps", option_list()); }
  void restore(const State& state) override {
    require_options(state, "armijo_gradient_steps", option_list());
  }

 private:
  [[nodiscard]] OptionList option_list() const {
    const ArmijoOptions& search = options_.line_search;
    return {{"steps", options_.steps},
            {"gradient_tolerance", options_.gradient_tolerance},
            {"line_search.first_step", search.first_step},
            {"line_search.decrease", search.decrease},
            {"line_search.shrink", search.shrink},
            {"line_search.max_trials", search.max_trials}};
  }

  void improve(BlockObjective& f, const Sample& before, const StepContext& step,
               SolveResult& trial) override {
    GradientStepsOptions solver = options_;
    if (step.tolerance > 0) solver.gradient_tolerance = step.tolerance;
    minimise(f, before, solver, memory_, trial);
  }

  GradientStepsOptions options_;
  GradientStepsMemory memory_;
};

}  // namespace

UpdateRecipe lbfgs(const BlockLbfgsOptions& options) {
  return [options](const UpdateSetup& s) {
    return std::make_unique<LbfgsUpdate>(options, s.network.size(s.block));
  };
}
UpdateRecipe armijo_gradient_steps(const GradientStepsOptions& options) {
  return [options](const UpdateSetup&) { return std::make_unique<ArmijoGradientUpdate>(options); };
}

}  // namespace strata
