#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "strata/core/clock.h"
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

// Which update for which block. An empty `output` means: as the hidden layers.
struct Updates {
  UpdateRecipe hidden;
  UpdateRecipe output = {};
};

// epsilon of B2LD: solves end, and layers are skipped, at a gradient norm that shrinks from sweep to sweep.
struct BlockTolerance {
  double first = 0;   // epsilon_0; 0: no tolerance
  double factor = 1;  // delta, epsilon <- delta epsilon after each sweep, 0 < delta <= 1
  bool skip = true;   // a layer already within epsilon is left as it is
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
};

// Steps that fit their own minibatch at the expense of other rows. After the blocks of a minibatch were visited, f on
// the rows of the next one, not seen yet, is compared with what it was before.
struct LookAhead {
  double most_increase =
      std::numeric_limits<double>::infinity();  // the visits are undone above this fraction
  [[nodiscard]] bool wanted() const { return most_increase < std::numeric_limits<double>::infinity(); }
};

// When a run ends. Zero or infinite values mean: no such rule.
struct Stopping {
  double gradient_norm = 0;         // ||grad f|| <= this
  bool gradient_when_idle = false;  // tested only after a sweep that skipped every block
  double relative_decrease = 0;     // (f - f+)/max(f, 1) <= this at the last visit of every layer
  std::size_t max_sweeps = 0;
  std::uint64_t max_evaluations = 0;
  double seconds = 0;                                                   // charged time
  double objective_at_most = -std::numeric_limits<double>::infinity();  // f <= this
  std::function<bool(const SweepRecord&)> callback = {};                // after every sweep; true: stop
  std::function<bool()> interrupt = {};  // asked often, also inside long solves; true: stop
};

// When the full objective of a minibatch run is evaluated, outside the charged time.
struct Reporting {
  std::size_t every_sweeps = 1;  // 0: never by count
  double every_seconds = 0;      // 0: never by time
  bool steps = false;            // keep a record of every step
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
};

struct TrainOptions {
  ObjectiveOptions objective = {};
  Engine* engine = &serial_engine();
  std::uint64_t seed = 0;  // order of batches and layers
  Validation validation = {};
  Clock clock = steady_clock();
  Checkpoints checkpoints = {};
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
