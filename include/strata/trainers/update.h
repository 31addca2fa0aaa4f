#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

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
using UpdateRecipe = std::function<std::unique_ptr<Update>(const UpdateSetup&)>;

// --- Updates that try a point and submit it to the acceptance conditions (batch scheme).

struct BlockLbfgsOptions {
  LbfgsOptions solver = {.max_iterations = 30};  // gradient tolerance: the sweep's, if that is set
  bool quadratic_output = true;                  // output layer: evaluate through Z'Z, formed in one pass
};
UpdateRecipe lbfgs(const BlockLbfgsOptions& options = {});

UpdateRecipe armijo_gradient_steps(const GradientStepsOptions& options = {});

// The output layer alone, to its minimum: with the squared loss by Cholesky or by conjugate gradients, with any other by
// damped Newton steps until the next would lower f by less than 1e-10 of it.
UpdateRecipe least_squares();
UpdateRecipe conjugate_gradient(const CgOptions& options = {});

struct GaussNewtonOptions {  // a rough solution will do: the next batch has another model
  PcgOptions solver = {.max_iterations = 6, .relative_tolerance = 0.1, .set_up = 6};
  // At most, where all layers are one block, and not weighed against the set-up: how layers depend on each other is not in
  // the preconditioner, and comes late.
  int joint_iterations = 30;
  double damping = 1e-2;     // lambda of a block at its first visit, or f there, whichever is less
  double change = 1.5;       // lambda is divided by it where the model predicts well, multiplied where badly
  double after_refusal = 4;  // lambda is multiplied by it where f did not decrease, or a minibatch was undone
  double noise_damping =
      4;  // kappa: lambda >= kappa f (1/|batch| - 1/P), what a minibatch says is that uncertain
  double least_damping = 1e-15;
  double most_damping = 1e6;
};
UpdateRecipe gauss_newton(const GaussNewtonOptions& options = {});

// --- Updates that take a gradient step in place (minibatch scheme). The step size comes from the scheme.

struct Normalisation {
  double least = 1e-3;  // beta
  double most = 1e6;    // gamma:  step = alpha / max(beta, min(gamma, ||G||)) G
};

struct GradientStepOptions {
  std::optional<Normalisation> normalisation = Normalisation{};
  bool sum = false;  // gradient of the batch's sum instead of its mean
};
UpdateRecipe gradient_step(const GradientStepOptions& options = {});

struct AdamOptions {
  double rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool cosine = false;  // rate * (1 + cos(pi * progress)) / 2
};
UpdateRecipe adam(const AdamOptions& options = {});

struct AdagradOptions {
  double rate = 1e-2;
  double epsilon = 1e-10;
};
UpdateRecipe adagrad(const AdagradOptions& options = {});

struct SvrgOptions {
  double rate = 0.05;
  std::size_t snapshot_every = 2;  // sweeps between full gradients
};
UpdateRecipe svrg(const SvrgOptions& options = {});

struct SagaOptions {
  double rate = 0.02;
  std::size_t memory_limit = 1ULL << 30U;  // bytes for the table of minibatch gradients
};
UpdateRecipe saga(const SagaOptions& options = {});

}  // namespace strata
