#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/core/vector.h"
#include "strata/data/dataset.h"
#include "strata/objective/objective.h"
#include "strata/trainers/acceptance.h"
#include "strata/trainers/records.h"
#include "strata/trainers/scheme.h"

namespace strata {

// A line of the record and all weights as the step left them: enough to check the line.
struct RecordedStep {
  StepRecord record;
  Vector weights;
};

// Collects the steps of a run. Both the network that is trained and the recorder must outlive the run.
class StepRecorder {
 public:
  explicit StepRecorder(const Network& network) : network_(&network) {}

  // Listens to every step of runs of this scheme; an observer already there is still called, first.
  void attach(Scheme& scheme);

  [[nodiscard]] const std::vector<RecordedStep>& steps() const { return steps_; }

 private:
  const Network* network_;
  std::vector<RecordedStep> steps_;
};

// Checks the record of a run on whole data under conditions (1) and (2), with code apart from the trainer's: plain
// kernels, its own Armijo rule, its own arithmetic. Every line must follow from the weights before and after it, to
// rounding. Returns the first disagreement as a sentence with the step, the field, and both values; nothing if there
// is none. Costs some full evaluations a step: for small problems.
//
// What it cannot know it takes from the record: the tolerance that made a block be skipped, and the trial point of a
// step that fell back (its value and length are recorded, and must fail one of the conditions).
std::optional<std::string> find_disagreement(const Network& start, const Dataset& data,
                                             const ObjectiveOptions& objective,
                                             const ArmijoAcceptance& acceptance,
                                             std::span<const RecordedStep> steps);

}  // namespace strata
