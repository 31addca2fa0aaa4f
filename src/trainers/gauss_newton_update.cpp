// Block layer Gauss-Newton: the damped step of a block's local model. lambda follows the ratio of actual to predicted
// decrease. All layers together on all rows take L-BFGS steps instead.
#include <algorithm>
#include <optional>

#include "trainers/damped_step.h"
#include "trainers/joint_lbfgs.h"
#include "trainers/trial_update.h"

namespace strata {

namespace {

class GaussNewtonUpdate final : public TrialUpdate {
 public:
  GaussNewtonUpdate(GaussNewtonOptions options, bool all_layers, std::size_t size)
      : options_(options), trust_(all_layers ? options.after_refusal : options.change), size_(size) {
    if (!all_layers) return;
    options_.solver.max_iterations = options.joint_iterations;
    options_.solver.set_up = 0;
    if (options.joint_lbfgs > 0) lbfgs_.emplace(options);
  }

  void save(State& state) const override {
    state.put("damping", damping_);
    if (lbfgs_) lbfgs_->save(state.part("lbfgs"));
  }
  void restore(const State& state) override {
    state.get("damping", damping_);
    if (lbfgs_) lbfgs_->restore(state.part("lbfgs"), size_);
  }

  void steps_undone() override {
    if (damping_ > 0) scale_damping(options_.after_refusal);
  }

 private:
  void sample(BlockObjective& f, std::span<const double> weights, Sample& before) override {
    model_ = f.model();
    before.x.assign(weights.begin(), weights.end());
    before.value = model_->value();
    before.gradient.assign(model_->gradient().begin(), model_->gradient().end());
  }

  void improve(BlockObjective& f, const Sample& before, const StepContext& step,
               SolveResult& trial) override {
    if (lbfgs_ && step.objective.selected_rows() == step.rows_in_all)
      return lbfgs_->improve(f, *model_, before, step, trial);
    trial.restart(before);
    // A block that is first visited late finds a small f, on whose scale lambda has to start.
    if (damping_ == 0) damping_ = bounded(std::min(options_.damping, before.value));
    allow_for_noise(before.value, step);
    const DampedStep::Result solved = solver_.solve(*model_, damping_, options_.solver);
    trial.iterations = solved.iterations;
    if (model_->has_gram() && solved.reason != StopReason::solved)
      trial.stop(solved.reason, solved.message);
    else
      trial.stop(StopReason::max_iterations, "damped Gauss-Newton step");
    step_to(trial.best.x, before.x, 1, solver_.step());
    trial.best.value = f.try_weights(trial.best.x);
    adapt_damping(before.value - trial.best.value, solved.predicted);
  }

  // A layer can fit the noise of a minibatch; the less, the fewer rows are missing in it.
  void allow_for_noise(double value, const StepContext& step) {
    const auto batch = static_cast<double>(step.objective.selected_rows());
    const double missing = 1 / batch - 1 / static_cast<double>(step.rows_in_all);
    damping_ = std::clamp(options_.noise_damping * value * missing, damping_, options_.most_damping);
  }

  // A model that predicts well may be trusted further: less damping; one that does not, more.
  void adapt_damping(double actual, double predicted) {
    const double ratio = actual / std::max(predicted, 1e-300);
    double factor = 1;
    if (!(actual > 0))
      factor = options_.after_refusal;
    else if (ratio > 0.75)
      factor = 1 / trust_;
    else if (ratio < 0.25)
      factor = options_.change;
    scale_damping(factor);
  }

  void scale_damping(double factor) { damping_ = bounded(damping_ * factor); }
  [[nodiscard]] double bounded(double damping) const {
    return std::clamp(damping, options_.least_damping, options_.most_damping);
  }

  GaussNewtonOptions options_;
  double trust_;        // divides lambda after a step as predicted: all layers are visited seldom
  double damping_ = 0;  // lambda; 0: not visited yet
  std::size_t size_;    // of the block
  std::optional<LocalModel> model_;
  DampedStep solver_;
  std::optional<JointLbfgs> lbfgs_;
};

}  // namespace

std::unique_ptr<Update> GaussNewtonOptions::make(const UpdateSetup& setup) const {
  const Block all{0, setup.network.layers() - 1};
  return std::make_unique<GaussNewtonUpdate>(*this, setup.block == all && all.last > 0,
                                             setup.network.size(setup.block));
}

}  // namespace strata
