// Trial points for a block: L-BFGS, Armijo gradient steps, and the exact or iterative solution of the output layer.

#include "strata/core/errors.h"
#include "strata/solvers/least_squares.h"
#include "trainers/trial_update.h"

namespace strata {

namespace {

class LbfgsUpdate final : public TrialUpdate {
 public:
  explicit LbfgsUpdate(const BlockLbfgsOptions& options) : options_(options) { check(options.solver); }

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

  BlockLbfgsOptions options_;
  LbfgsMemory memory_;
};

class ArmijoGradientUpdate final : public TrialUpdate {
 public:
  explicit ArmijoGradientUpdate(const GradientStepsOptions& options) : options_(options) { check(options); }

 private:
  void improve(BlockObjective& f, const Sample& before, const StepContext& step,
               SolveResult& trial) override {
    GradientStepsOptions solver = options_;
    if (step.tolerance > 0) solver.gradient_tolerance = step.tolerance;
    minimise(f, before, solver, memory_, trial);
  }

  GradientStepsOptions options_;
  GradientStepsMemory memory_;
};

// Both solvers of the output layer need its quadratic form.
class OutputUpdate : public TrialUpdate {
 private:
  void prepare(BlockObjective& f) final {
    if (!f.use_quadratic_form())
      throw InvalidOption("updates.output", "least_squares",
                          "needs the output layer alone and the squared loss; use lbfgs for other blocks");
  }
};

class LeastSquaresUpdate final : public OutputUpdate {
 private:
  // W = W0 - H^-1 G: the minimum of the quadratic, from its gradient at W0.
  void improve(BlockObjective& f, const Sample& before, const StepContext& /*step*/,
               SolveResult& trial) override {
    trial.restart(before);
    const ConstMatrix gram = f.gram();
    const std::size_t outputs = before.x.size() / gram.rows();
    newton_.resize(before.x.size());
    const LeastSquaresResult solved =
        solve_regularised(gram, 0, {before.gradient.data(), gram.rows(), outputs}, space_,
                          {newton_.data(), gram.rows(), outputs});
    trial.stop(solved.reason, solved.message);
    if (solved.reason != StopReason::solved) return;
    add_scaled(trial.best.x, -1, newton_);
    trial.best.value = f.value_and_gradient(trial.best.x, trial.best.gradient);
    trial.iterations = 1;
  }

  Vector newton_;
  LeastSquaresSpace space_;
};

class ConjugateGradientUpdate final : public OutputUpdate {
 public:
  explicit ConjugateGradientUpdate(const CgOptions& options) : options_(options) { check(options); }

 private:
  void improve(BlockObjective& f, const Sample& before, const StepContext& step,
               SolveResult& trial) override {
    CgOptions solver = options_;
    if (step.tolerance > 0) solver.gradient_tolerance = step.tolerance;
    minimise(f, before, solver, memory_, trial);
  }

  CgOptions options_;
  CgMemory memory_;
};

}  // namespace

UpdateRecipe lbfgs(const BlockLbfgsOptions& options) {
  return [options](const UpdateSetup&) { return std::make_unique<LbfgsUpdate>(options); };
}
UpdateRecipe armijo_gradient_steps(const GradientStepsOptions& options) {
  return [options](const UpdateSetup&) { return std::make_unique<ArmijoGradientUpdate>(options); };
}
UpdateRecipe least_squares() {
  return [](const UpdateSetup&) { return std::make_unique<LeastSquaresUpdate>(); };
}
UpdateRecipe conjugate_gradient(const CgOptions& options) {
  return [options](const UpdateSetup&) { return std::make_unique<ConjugateGradientUpdate>(options); };
}

}  // namespace strata
