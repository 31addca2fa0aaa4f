#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "strata/core/fields.h"
#include "strata/core/state.h"
#include "strata/network/network.h"
#include "strata/objective/objective.h"
#include "strata/solvers/conjugate_gradient.h"
#include "strata/solvers/gradient_steps.h"
#include "strata/solvers/lbfgs.h"
#include "strata/trainers/acceptance.h"
#include "strata/trainers/records.h"

namespace strata {

// All that one visit of a block may use and must fill in.
struct StepContext {
  Objective& objective;  // on the selected batch
  Network& network;
  Block block;
  std::size_t batch = 0;        // index of the batch in its partition
  std::size_t rows_in_all = 0;  // P, of which the objective has a batch
  double tolerance = 0;         // gradient norm below which the block is left alone in this sweep
  bool skip_within_tolerance = false;
  double step_size = 0;  // alpha, for gradient steps
  double step_cut = 1;   // halved whenever a gradient step was not finite; multiplies every rate
  double progress = 0;   // 0 at the start, 1 at the limit on time or sweeps; for decaying schedules
  const Acceptance& acceptance;
  const std::function<std::optional<StopReason>()>& interrupt;  // asked inside long solves: time, user
  StepRecord& record;
};

// How a block is updated. One object per block and run: histories, moments and buffers live and end with the run.
class Update {
 public:
  virtual ~Update() = default;
  virtual void apply(StepContext& step) = 0;

  // The steps of the last minibatch were undone, because f rose on other rows.
  virtual void steps_undone() {}

  // Before the first batch of a sweep, with the objective on all rows: for methods that need full gradients.
  virtual void begin_sweep(Objective& /*all_rows*/, std::size_t /*sweep*/) {}

  // What the next visit depends on: by default nothing. `restore` is called on a new object of the same recipe. A state
  // is saved between visits, or when `interrupt` is first asked in one: ask before anything saved has changed.
  virtual void save(State& /*state*/) const {}
  virtual void restore(const State& /*state*/) {}
};

struct UpdateSetup {
  const Network& network;
  Block block;
  std::size_t batches;   // in a sweep
  bool fixed_partition;  // a batch index always means the same rows
};

// --- Updates that try a point and submit it to the acceptance conditions (batch scheme).

struct BlockLbfgsOptions {
  LbfgsOptions solver = {.max_iterations = 30};  // gradient tolerance: the sweep's, if that is set
  bool quadratic_output = true;

  static constexpr std::string_view kind = "lbfgs";
  [[nodiscard]] std::unique_ptr<Update> make(const UpdateSetup& setup) const;
  void fields(auto& list) {
    solver.fields(list);
    list("quadratic_output", quadratic_output, "output layer: evaluate through Z'Z, formed in one pass");
  }
};

struct ArmijoStepsOptions {
  GradientStepsOptions solver = {};
  // Gradients of single neurons are small, and their steps long: few trials find their length again.
  bool from_last = false;

  static constexpr std::string_view kind = "armijo_gradient_steps";
  [[nodiscard]] std::unique_ptr<Update> make(const UpdateSetup& setup) const;
  void fields(auto& list) {
    solver.fields(list);
    list("from_last", from_last, "begin the line searches of a visit one trial above the block's last step");
  }
};

// The output layer alone, to its minimum: with the squared loss by Cholesky or by conjugate gradients, with any other by
// damped Newton steps until the next would lower f by less than 1e-10 of it.
struct LeastSquaresOptions {
  static constexpr std::string_view kind = "least_squares";
  [[nodiscard]] std::unique_ptr<Update> make(const UpdateSetup& setup) const;
};

struct BlockCgOptions {
  CgOptions solver = {};

  static constexpr std::string_view kind = "conjugate_gradient";
  [[nodiscard]] std::unique_ptr<Update> make(const UpdateSetup& setup) const;
  void fields(auto& list) { solver.fields(list); }
};

struct GaussNewtonOptions {  // a rough solution will do: the next batch has another model
  PcgOptions solver = {.max_iterations = 6, .relative_tolerance = 0.1, .set_up = 6};
  int joint_iterations = 30;  // the set-up is not weighed there: how layers depend on each other comes late
  int joint_lbfgs = 25;
  std::size_t joint_pairs = 50;
  double joint_damping = 1e-3;
  double damping = 1e-2;
  double change = 1.5;
  double after_refusal = 4;
  double noise_damping = 4;
  double least_damping = 1e-15;
  double most_damping = 1e6;

  static constexpr std::string_view kind = "gauss_newton";
  [[nodiscard]] std::unique_ptr<Update> make(const UpdateSetup& setup) const;
  void fields(auto& list) {
    solver.fields(list);
    list("joint_iterations", joint_iterations, at_least(0),
         "conjugate gradient iterations where all layers are visited together, at most", "joint-iterations");
    list("joint_lbfgs", joint_lbfgs, at_least(1).off_at(0),
         "L-BFGS iterations in a visit of all layers together on all rows; off, and in a fit with validation "
         "rows: conjugate gradients, as on minibatches",
         "joint-lbfgs");
    list("joint_pairs", joint_pairs, at_least(1), "pairs kept by that L-BFGS", "joint-pairs");
    list("joint_damping", joint_damping, positive, "damping of its first matrix, as a fraction of f",
         "joint-damping");
    list("damping", damping, positive, "first damping of every block, or f there, whichever is less",
         "damping");
    list("change", change, at_least(1),
         "the damping is divided by it where the model predicts well, multiplied where badly");
    list("after_refusal", after_refusal, at_least(1),
         "the damping is multiplied by it where f did not decrease, or a minibatch was undone");
    list("noise_damping", noise_damping, positive.off_at(0), "k in damping >= k f (1/batch - 1/rows)",
         "noise-damping");
    list("least_damping", least_damping, positive, "smallest damping");
    list("most_damping", most_damping, at_least(least_damping), "largest damping");
  }
};

// --- Updates that take a gradient step in place (minibatch scheme). The step size comes from the scheme.

// An update that is a method by itself, of the name of its kind: it steps on all layers at once, with minibatches that are drawn
// anew in every epoch (with_update).
struct OwnMethod {
  std::string_view summary;
  std::string_view source;
  std::string_view options;  // that users may set, as in MethodInfo
};

struct GradientStepOptions {  // step = alpha / max(least, min(most, ||G||)) G, or alpha G
  bool normalise = true;
  double least = 1e-3;
  double most = 1e6;
  bool sum = false;

  static constexpr std::string_view kind = "gradient_step";
  [[nodiscard]] std::unique_ptr<Update> make(const UpdateSetup& setup) const;
  void fields(auto& list) {
    list("normalise", normalise, "divide the step by the norm of the gradient");
    list("least", least, positive.at_most(most), "smallest norm to divide by", "least-norm");
    list("most", most, positive, "largest norm to divide by", "most-norm");
    list("sum", sum, "gradient of the minibatch's sum, as the paper's f_h, instead of its mean", "sum");
  }
};

struct AdamOptions {
  double rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool cosine = false;  // rate * (1 + cos(pi * progress)) / 2

  static constexpr std::string_view kind = "adam";
  static constexpr OwnMethod method{"adaptive moments", "Kingma & Ba 2015", "batch precision updates.hidden"};
  [[nodiscard]] std::unique_ptr<Update> make(const UpdateSetup& setup) const;
  void fields(auto& list) {
    list("rate", rate, positive, "step size", "rate");
    list("beta1", beta1, not_negative.smaller_than(1), "decay of the mean gradient", "beta1");
    list("beta2", beta2, not_negative.smaller_than(1), "decay of the mean squared gradient", "beta2");
    list("epsilon", epsilon, positive, "added to the root of the mean squared gradient");
    list("cosine", cosine, "let the rate fall to zero along a cosine until the limit is met", "cosine");
  }
};

struct AdagradOptions {
  double rate = 1e-2;
  double epsilon = 1e-10;

  static constexpr std::string_view kind = "adagrad";
  static constexpr OwnMethod method{"adaptive steps from summed squares", "Duchi, Hazan & Singer 2011",
                                    "batch precision updates.hidden"};
  [[nodiscard]] std::unique_ptr<Update> make(const UpdateSetup& setup) const;
  void fields(auto& list) {
    list("rate", rate, positive, "step size", "rate");
    list("epsilon", epsilon, positive, "added to the root of the summed squares");
  }
};

struct SvrgOptions {
  double rate = 0.05;
  std::size_t snapshot_every = 2;

  static constexpr std::string_view kind = "svrg";
  static constexpr OwnMethod method{"variance reduction by full gradients at snapshots",
                                    "Johnson & Zhang 2013", "batch precision updates.hidden"};
  [[nodiscard]] std::unique_ptr<Update> make(const UpdateSetup& setup) const;
  void fields(auto& list) {
    list("rate", rate, positive, "step size", "rate");
    list("snapshot_every", snapshot_every, at_least(1), "epochs between full gradients", "snapshot-every");
  }
};

struct SagaOptions {
  double rate = 0.02;
  std::size_t memory_limit = 1ULL << 30U;

  static constexpr std::string_view kind = "saga";
  [[nodiscard]] std::unique_ptr<Update> make(const UpdateSetup& setup) const;
  void fields(auto& list) {
    list("rate", rate, positive, "step size", "rate");
    list("memory_limit", memory_limit, at_least(0).as_limit(), "bytes for the table of minibatch gradients");
  }
};

// An update of the user's own. Its options are the function's; a run that is continued compares the name.
struct CustomUpdate {
  std::string name;
  std::function<std::unique_ptr<Update>(const UpdateSetup&)> make;

  static constexpr std::string_view kind = "custom";
  void fields(auto& list) { list("name", name, "of the update, in messages and checkpoints"); }
};

// A recipe is data: options that can be printed, compared and stored. Each run makes its own updates from it.
using UpdateRecipe = std::variant<std::monostate, BlockLbfgsOptions, ArmijoStepsOptions, LeastSquaresOptions,
                                  BlockCgOptions, GaussNewtonOptions, GradientStepOptions, AdamOptions,
                                  AdagradOptions, SvrgOptions, SagaOptions, CustomUpdate>;

// Which of them update a part of a layer; the others take the weights of a block as one span of the network's.
template <class Recipe>
inline constexpr bool updates_parts =
    std::is_same_v<Recipe, BlockLbfgsOptions> || std::is_same_v<Recipe, ArmijoStepsOptions> ||
    std::is_same_v<Recipe, CustomUpdate>;

inline UpdateRecipe lbfgs(const BlockLbfgsOptions& options = {}) { return options; }
inline UpdateRecipe armijo_gradient_steps(const GradientStepsOptions& options = {}) {
  return ArmijoStepsOptions{options};
}
inline UpdateRecipe least_squares() { return LeastSquaresOptions{}; }
inline UpdateRecipe conjugate_gradient(const CgOptions& options = {}) { return BlockCgOptions{options}; }
inline UpdateRecipe gauss_newton(const GaussNewtonOptions& options = {}) { return options; }
inline UpdateRecipe gradient_step(const GradientStepOptions& options = {}) { return options; }
inline UpdateRecipe adam(const AdamOptions& options = {}) { return options; }
inline UpdateRecipe adagrad(const AdagradOptions& options = {}) { return options; }
inline UpdateRecipe svrg(const SvrgOptions& options = {}) { return options; }
inline UpdateRecipe saga(const SagaOptions& options = {}) { return options; }

}  // namespace strata
