#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "strata/core/clock.h"
#include "strata/core/fields.h"
#include "strata/data/dataset.h"
#include "strata/objective/objective.h"
#include "strata/trainers/acceptance.h"
#include "strata/trainers/batches.h"
#include "strata/trainers/checkpoint.h"
#include "strata/trainers/records.h"
#include "strata/trainers/selection.h"
#include "strata/trainers/update.h"
#include "strata/trainers/validation.h"

namespace strata {

// Which update for which block. No update for the output layer means: as the hidden layers.
struct Updates {
  UpdateRecipe hidden;
  UpdateRecipe output = {};
};

// epsilon of B2LD: solves end, and layers are skipped, at a gradient norm that shrinks from sweep to sweep.
struct BlockTolerance {
  double first = 0;
  double factor = 1;
  bool skip = true;

  void fields(auto& list) {
    list("first", first, positive.off_at(0), "gradient norm at which a layer is left alone, first sweep",
         "epsilon");
    list("factor", factor, positive.at_most(1), "factor of epsilon from sweep to sweep", "delta");
    list("skip", skip, "leave a layer that is within epsilon already as it is", "skip-layers");
  }
};

// How alpha of the gradient steps changes from minibatch to minibatch.
struct StepSize {
  enum class Rule {
    constant,
    diminishing,  // alpha <- alpha (1 - epsilon alpha)
    harmonic,     // alpha_0 / k
  };
  Rule rule = Rule::constant;
  double first = 0.5;
  double epsilon = 5e-3;

  void fields(auto& list) {
    const double steepest = rule == Rule::diminishing ? 1 / first : infinity;
    list("rule", rule, "how the step size changes from minibatch to minibatch", "step-rule");
    list("first", first, positive, "step size", "rate");
    list("epsilon", epsilon, positive.smaller_than(steepest).off_at(0),
         "d in rate <- rate (1 - d rate) after every minibatch", "decay");
  }
};
constexpr auto names_of(StepSize::Rule) {
  return std::to_array<std::string_view>({"constant", "diminishing", "harmonic"});
}

// Steps that fit their own minibatch at the expense of other rows. After the blocks of a minibatch were visited, f on
// the rows of the next one, not seen yet, is compared with what it was before.
struct LookAhead {
  double most_increase = infinity;
  [[nodiscard]] bool wanted() const { return most_increase < infinity; }

  void fields(auto& list) {
    list("most_increase", most_increase, not_negative.off_at(infinity),
         "undo a minibatch after which the next one's objective is larger by more than this fraction",
         "most-increase");
  }
};

// When a run ends: the first rule that is met.
struct Stopping {
  double gradient_norm = 0;
  bool gradient_every_sweep = true;
  bool gradient_every_visit = false;
  double relative_decrease = 0;
  std::size_t max_sweeps = 0;
  std::uint64_t max_evaluations = 0;
  double seconds = 0;
  double objective_at_most = -infinity;
  std::function<bool(const SweepRecord&)> callback = {};  // after every sweep; true: stop
  std::function<bool()> interrupt = {};                   // asked often, also inside long solves; true: stop

  void fields(auto& list) {
    list("gradient_norm", gradient_norm, positive.off_at(0), "stop when ||grad f|| <= this");
    list("gradient_every_sweep", gradient_every_sweep,
         "test the gradient after every sweep, not only after one that left all layers alone",
         "gradient-every-sweep");
    list("gradient_every_visit", gradient_every_visit,
         "test the gradient of the whole network after every visit or round, and not inside it",
         "gradient-every-visit");
    list("relative_decrease", relative_decrease, positive.off_at(0),
         "stop when (f - f+)/max(f, 1) <= this at the last visit of every layer");
    list("max_sweeps", max_sweeps, at_least(1).off_at(0).as_limit(), "passes over the data");
    list("max_evaluations", max_evaluations, at_least(1).off_at(0).as_limit(),
         "evaluations of the objective or of a part of it");
    list("seconds", seconds, positive.at_most(infinity).off_at(0).as_limit(), "charged time");
    list("objective_at_most", objective_at_most, any_number.off_at(-infinity).as_limit(),
         "stop when f <= this");
  }
};

// When the full objective of a minibatch run is evaluated, outside the charged time.
struct Reporting {
  std::size_t every_sweeps = 1;
  double every_seconds = 0;
  bool steps = false;

  void fields(auto& list) {
    list("every_sweeps", every_sweeps, at_least(1).off_at(0), "sweeps between evaluations");
    list("every_seconds", every_seconds, positive.at_most(infinity).off_at(0), "charged time between them");
    list("steps", steps, "keep a record of every step");
  }
};

struct Observers {
  std::function<void(const StepRecord&)> step = {};
  std::function<void(const SweepRecord&)> sweep = {};
};

// A training method: a recipe made of parts, each replaceable alone. It holds no state: a run does.
struct Scheme {
  std::string name;
  BatchOptions batches = whole_data();
  SelectionRecipe selection = backward_sweep();
  Updates updates;
  Acceptance acceptance = at_least_armijo();
  LookAhead look_ahead = {};
  BlockTolerance tolerance = {};
  StepSize step_size = {};
  Stopping stopping = {};
  Reporting reporting = {};
  Observers observers = {};

  // part(name, options) for every part that has fields.
  template <class Part>
  void parts(Part&& part) {
    part("batches", batches);
    part("selection", selection);
    part("updates.hidden", updates.hidden);
    part("updates.output", updates.output);
    part("acceptance", acceptance);
    part("look_ahead", look_ahead);
    part("tolerance", tolerance);
    part("step_size", step_size);
    part("stopping", stopping);
    part("reporting", reporting);
  }
};

struct TrainOptions {
  ObjectiveOptions objective = {};
  Engine* engine = &serial_engine();
  std::uint64_t seed = 0;  // order of batches and layers
  Validation validation = {};
  Clock clock = steady_clock();
  Checkpoints checkpoints = {};
  bool charge_all = false;  // reports, looks at validation rows and checkpoints count as time too
  // Asked at the end; false: value and gradient of the result are of no use, and are not measured. in_one_pass: there would be
  // the value alone, after epochs of minibatches that are long.
  std::function<bool(bool in_one_pass)> measure_result = {};
};

// Rows to train on and rows to measure on, packed: TrainOptions::engine is theirs.
struct TrainingRows {
  const PackedRows& training;
  const PackedRows* validation = nullptr;
};

// Trains the network on the data; the network ends with the best weights found. A scheme or data that cannot be used
// are refused (InvalidOption) and leave the network as it was.
TrainingResult train(Network& network, const Dataset& data, const Scheme& scheme,
                     const TrainOptions& options = {});
// The same without a copy of the rows; of TrainOptions::validation, the patience counts.
TrainingResult train(Network& network, const TrainingRows& rows, const Scheme& scheme,
                     const TrainOptions& options = {});

}  // namespace strata
