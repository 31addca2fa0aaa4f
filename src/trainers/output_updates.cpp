// The output layer by itself, to its minimum: a quadratic by Cholesky or conjugate gradients; any other loss, convex in
// these weights but for several quantiles, by damped Newton steps.
#include <algorithm>
#include <optional>

#include "strata/core/errors.h"
#include "strata/solvers/least_squares.h"
#include "trainers/damped_step.h"
#include "trainers/trial_update.h"

namespace strata {

namespace {

class OutputUpdate : public TrialUpdate {
 protected:
  // Where the model is the function itself.
  virtual void solve_quadratic(BlockObjective& f, const LocalModel& model, const Sample& before,
                               const StepContext& step, SolveResult& trial) = 0;

 private:
  void sample(BlockObjective& f, std::span<const double> weights, Sample& before) final {
    model_ = f.model();
    before.x.assign(weights.begin(), weights.end());
    before.value = model_->value();
    before.gradient.assign(model_->gradient().begin(), model_->gradient().end());
  }

  void improve(BlockObjective& f, const Sample& before, const StepContext& step, SolveResult& trial) final {
    if (model_->is_exact()) return solve_quadratic(f, *model_, before, step, trial);
    trial.restart(before);
    minimise_by_newton(f, step, trial);
  }

  // Levenberg-Marquardt: a step that the model predicts well is taken, and the next is damped less.
  void minimise_by_newton(BlockObjective& f, const StepContext& step, SolveResult& trial) {
    double damping = first_damping;
    for (; trial.iterations < most_steps; ++trial.iterations) {
      if (norm(trial.best.gradient) <= step.tolerance)
        return trial.stop(StopReason::gradient_tolerance,
                          "damped Newton: the gradient is within the tolerance");
      const DampedStep::Result solved = solver_.solve(*model_, damping, iterations);
      if (!(solved.predicted > tolerance * trial.best.value))
        return trial.stop(StopReason::solved, "damped Newton: the next step would gain less than 1e-10 of f");
      candidate_.resize(trial.best.x.size());
      step_to(candidate_, trial.best.x, 1, solver_.step());
      const double value = f.value(candidate_);
      if (trial.best.value - value >= least_ratio * solved.predicted) {
        damping = std::max(damping / change, least_damping);
        std::swap(trial.best.x, candidate_);
        model_ = f.model_at(trial.best.x);
        trial.best.value = value;
        std::ranges::copy(model_->gradient(), trial.best.gradient.begin());
      } else if ((damping *= change) > most_damping) {
        return trial.stop(StopReason::relative_decrease, "damped Newton: f falls no further, to rounding");
      }
      if (const auto reason = step.interrupt()) return trial.stop(*reason, "damped Newton: interrupted");
    }
    trial.stop(StopReason::max_iterations, "damped Newton: as many steps as allowed");
  }

  static constexpr PcgOptions iterations{.max_iterations = 200, .relative_tolerance = 1e-3};
  static constexpr double tolerance = 1e-10;  // of f
  static constexpr int most_steps = 100;
  static constexpr double least_ratio = 0.1;  // of actual to predicted decrease
  static constexpr double first_damping = 1e-4;
  static constexpr double change = 10;
  static constexpr double least_damping = 1e-15;
  static constexpr double most_damping = 1e6;

  std::optional<LocalModel> model_;
  DampedStep solver_;
  Vector candidate_;
};

class LeastSquaresUpdate final : public OutputUpdate {
  // W = W0 - H^-1 G: the minimum of the quadratic, from its gradient at W0.
  void solve_quadratic(BlockObjective& f, const LocalModel& model, const Sample& before,
                       const StepContext& /*step*/, SolveResult& trial) override {
    trial.restart(before);
    const ConstMatrix gram = model.gram();
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
  explicit ConjugateGradientUpdate(const CgOptions& options) : options_(options) {}

 private:
  void solve_quadratic(BlockObjective& f, const LocalModel& /*model*/, const Sample& before,
                       const StepContext& step, SolveResult& trial) override {
    CgOptions solver = options_;
    if (step.tolerance > 0) solver.gradient_tolerance = step.tolerance;
    minimise(f, before, solver, memory_, trial);
  }

  CgOptions options_;
  CgMemory memory_;
};

void require_output_layer(std::string_view update, const UpdateSetup& setup) {
  if (!(setup.block == setup.network.output_layer()))
    throw InvalidOption("updates.output", update, "needs the output layer alone; use lbfgs for other blocks");
}

}  // namespace

std::unique_ptr<Update> LeastSquaresOptions::make(const UpdateSetup& setup) const {
  require_output_layer(kind, setup);
  return std::make_unique<LeastSquaresUpdate>();
}
std::unique_ptr<Update> BlockCgOptions::make(const UpdateSetup& setup) const {
  require_output_layer(kind, setup);
  return std::make_unique<ConjugateGradientUpdate>(solver);
}

}  // namespace strata
