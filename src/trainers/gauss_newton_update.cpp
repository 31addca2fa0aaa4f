// Block layer Gauss-Newton: the damped step of one block, (c J'J + (2r + lambda) I) d = -gradient, by a few iterations
// of preconditioned conjugate gradients; the output layer by itself exactly. lambda follows the ratio of actual to
// predicted decrease.
#include <algorithm>
#include <cmath>
#include <string>

#include "strata/core/errors.h"
#include "strata/solvers/least_squares.h"
#include "trainers/kronecker.h"
#include "trainers/saved_parts.h"
#include "trainers/trial_update.h"

namespace strata {

namespace {

// One Kronecker inverse for each layer of the block: the layers' dependence on each other is left to the iterations.
class BlockKroneckerInverse {
 public:
  void prepare(const BlockObjective& f, double mu) {
    layers_.resize(f.block().last - f.block().first + 1);
    for (std::size_t l = 0; l < layers_.size(); ++l)
      layers_[l].prepare(f.input_moments(f.block().first + l), f.sensitivity_moments(f.block().first + l),
                         mu);
  }
  void operator()(std::span<const double> r, std::span<double> y) {
    std::size_t start = 0;
    for (KroneckerInverse& layer : layers_) {
      layer(r.subspan(start, layer.size()), y.subspan(start, layer.size()));
      start += layer.size();
    }
  }

 private:
  std::vector<KroneckerInverse> layers_;
};

class GaussNewtonUpdate final : public TrialUpdate {
 public:
  GaussNewtonUpdate(GaussNewtonOptions options, bool all_layers) : options_(options) {
    if (all_layers) {
      options_.solver.max_iterations = options.joint_iterations;
      options_.solver.set_up = 0;
    }
    check(options_.solver);
    if (!(options.damping > 0))
      throw InvalidOption("gauss_newton.damping", std::to_string(options.damping), "use a positive number");
    if (!(options.noise_damping >= 0))
      throw InvalidOption("gauss_newton.noise_damping", std::to_string(options.noise_damping),
                          "use 0 or more");
  }

  void save(State& state) const override {
    put_options(state, "gauss_newton", option_list());
    state.put("damping", damping_);
  }
  void restore(const State& state) override {
    require_options(state, "gauss_newton", option_list());
    state.get("damping", damping_);
  }

  void steps_undone() override {
    if (damping_ > 0) scale_damping(options_.after_refusal);
  }

 private:
  [[nodiscard]] OptionList option_list() const {
    return {{"solver.max_iterations", options_.solver.max_iterations},
            {"solver.relative_tolerance", options_.solver.relative_tolerance},
            {"solver.set_up", options_.solver.set_up},
            {"damping", options_.damping},
            {"change", options_.change},
            {"after_refusal", options_.after_refusal},
            {"noise_damping", options_.noise_damping},
            {"least_damping", options_.least_damping},
            {"most_damping", options_.most_damping}};
  }

  void prepare(BlockObjective& f) override {
    if (!f.has_gauss_newton() && !f.use_quadratic_form())
      throw InvalidOption("loss", "not squared", "gauss_newton needs the squared loss");
  }

  void sample(BlockObjective& f, std::span<const double> weights, Sample& before) override {
    if (f.is_quadratic()) return evaluate(f, weights, before);
    before.x.assign(weights.begin(), weights.end());
    before.gradient.resize(weights.size());
    before.value = f.linearise(before.gradient);
  }

  void improve(BlockObjective& f, const Sample& before, const StepContext& step,
               SolveResult& trial) override {
    trial.restart(before);
    trial.stop(StopReason::max_iterations, "damped Gauss-Newton step");
    step_.resize(before.x.size());
    // A block that is first visited late finds a small f, on whose scale lambda has to start.
    if (damping_ == 0) damping_ = bounded(std::min(options_.damping, before.value));
    allow_for_noise(before.value, step);
    const double predicted = f.is_quadratic()
                                 ? exact_step(f, before, trial)
                                 : conjugate_gradient_step(f, before, step.objective.options().l2, trial);
    step_to(trial.best.x, before.x, 1, step_);
    trial.best.value = f.try_weights(trial.best.x);
    adapt_damping(before.value - trial.best.value, predicted);
  }

  // A layer can fit the noise of a minibatch; the less, the fewer rows are missing in it.
  void allow_for_noise(double value, const StepContext& step) {
    const auto batch = static_cast<double>(step.objective.selected_rows());
    const double missing = 1 / batch - 1 / static_cast<double>(step.rows_in_all);
    damping_ = std::clamp(options_.noise_damping * value * missing, damping_, options_.most_damping);
  }

  // Both write the step into step_ and return the decrease that the damped model predicts.
  double exact_step(BlockObjective& f, const Sample& before, SolveResult& trial) {
    const ConstMatrix gram = f.gram();
    const std::size_t outputs = before.x.size() / gram.rows();
    const LeastSquaresResult solved =
        solve_regularised(gram, damping_, {before.gradient.data(), gram.rows(), outputs}, space_,
                          {step_.data(), gram.rows(), outputs});
    trial.iterations = 1;
    if (solved.reason != StopReason::solved) {
      trial.stop(solved.reason, solved.message);
      std::fill(step_.begin(), step_.end(), 0.0);
    }
    for (double& d : step_) d = -d;
    return -dot(before.gradient, step_) / 2;
  }

  double conjugate_gradient_step(BlockObjective& f, const Sample& before, double l2, SolveResult& trial) {
    const double mu = 2 * l2 + damping_;
    preconditioner_.prepare(f, mu);
    descent_.resize(before.gradient.size());
    std::transform(before.gradient.begin(), before.gradient.end(), descent_.begin(),
                   [](double g) { return -g; });
    const auto times = [&f, mu](std::span<const double> v, std::span<double> av) {
      f.gauss_newton_times(v, av);
      add_scaled(av, mu, v);
    };
    const PcgResult solved = pcg(times, descent_, preconditioner_, options_.solver, pcg_space_, step_);
    trial.iterations = solved.iterations;
    return solved.model_decrease;
  }

  // A model that predicts well may be trusted further: less damping; one that does not, more.
  void adapt_damping(double actual, double predicted) {
    const double ratio = actual / std::max(predicted, 1e-300);
    double factor = 1;
    if (!(actual > 0))
      factor = options_.after_refusal;
    else if (ratio > 0.75)
      factor = 1 / options_.change;
    else if (ratio < 0.25)
      factor = options_.change;
    scale_damping(factor);
  }

  void scale_damping(double factor) { damping_ = bounded(damping_ * factor); }
  [[nodiscard]] double bounded(double damping) const {
    return std::clamp(damping, options_.least_damping, options_.most_damping);
  }

  GaussNewtonOptions options_;
  double damping_ = 0;  // lambda; 0: not visited yet
  BlockKroneckerInverse preconditioner_;
  LeastSquaresSpace space_;
  PcgSpace pcg_space_;
  Vector step_, descent_;
};

}  // namespace

UpdateRecipe gauss_newton(const GaussNewtonOptions& options) {
  return [options](const UpdateSetup& setup) {
    const Block all{0, setup.network.layers() - 1};
    return std::make_unique<GaussNewtonUpdate>(options, setup.block == all && all.last > 0);
  };
}

}  // namespace strata
