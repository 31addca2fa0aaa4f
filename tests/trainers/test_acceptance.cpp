#include "strata/trainers/acceptance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/replay.h"
#include "support/training.h"
#include "trainers/trial_update.h"

namespace strata {
namespace {

using testing_support::SmallProblem;
using testing_support::weights_of;

// An update that proposes whatever the test wants: changes `trial` from the sample before the step.
using Propose = std::function<void(BlockObjective&, SolveResult&)>;

class Proposal final : public TrialUpdate {
 public:
  explicit Proposal(Propose propose) : propose_(std::move(propose)) {}

 private:
  void improve(BlockObjective& f, const Sample& before, const StepContext& /*step*/,
               SolveResult& trial) override {
    trial.restart(before);
    propose_(f, trial);
  }
  Propose propose_;
};

Propose step_along_gradient(double step) {
  return [step](BlockObjective& f, SolveResult& trial) {
    add_scaled(trial.best.x, step, trial.best.gradient);
    trial.best.value = f.value_and_gradient(trial.best.x, trial.best.gradient);
  };
}

Propose with_value(double value) {
  return [value](BlockObjective&, SolveResult& trial) {
    trial.best.x[0] += 0.1;
    trial.best.value = value;
  };
}

struct OneSweep {
  SmallProblem problem;
  std::vector<double> before, after;  // weights
  std::vector<RecordedStep> steps;
  std::optional<std::string> disagreement;
};

OneSweep sweep_with(Propose propose, const Acceptance& acceptance = at_least_armijo()) {
  OneSweep out;
  Network network(out.problem.start);
  Scheme scheme;
  scheme.updates.hidden =
      CustomUpdate{"proposal", [propose](const UpdateSetup&) { return std::make_unique<Proposal>(propose); }};
  scheme.acceptance = acceptance;
  scheme.stopping = {.max_sweeps = 1};
  StepRecorder recorder(network);
  recorder.attach(scheme);
  train(network, out.problem.data, scheme, {.objective = out.problem.objective});
  out.before = weights_of(out.problem.start);
  out.after = weights_of(network);
  out.steps = recorder.steps();
  if (const auto* conditions = std::get_if<ArmijoAcceptance>(&acceptance))
    out.disagreement =
        find_disagreement(out.problem.start, out.problem.data, out.problem.objective, *conditions, out.steps);
  return out;
}

TEST(Acceptance, ATrialThatSatisfiesBothConditionsIsTaken) {
  // Twice as far as the first trial of the line search, and so better than the Armijo point.
  const OneSweep sweep =
      sweep_with(step_along_gradient(-0.02), at_least_armijo({.line_search = {.first_step = 0.01}}));
  EXPECT_EQ(sweep.disagreement.value_or("none"), "none");
  for (const auto& [r, weights] : sweep.steps) {
    EXPECT_FALSE(r.fallback);
    EXPECT_FALSE(r.refused);
    EXPECT_EQ(r.after, r.trial);
    EXPECT_EQ(r.step_length, r.trial_length);
    EXPECT_LT(r.after, r.before);
  }
}

// Every way of being bad ends at the Armijo point: too short for (1), uphill, not finite, no step at all.
TEST(Acceptance, ATrialThatFailsIsReplacedByTheArmijoPoint) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const std::vector<Propose> bad{step_along_gradient(-1e-3), step_along_gradient(1), with_value(nan),
                                 with_value(infinity),       with_value(-infinity),  step_along_gradient(0),
                                 step_along_gradient(nan)};
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const OneSweep sweep = sweep_with(bad[i]);
    EXPECT_EQ(sweep.disagreement.value_or("none"), "none") << "proposal " << i;
    for (const auto& [r, weights] : sweep.steps) {
      EXPECT_TRUE(r.fallback) << "proposal " << i;
      EXPECT_EQ(r.after, r.armijo) << "proposal " << i;
      EXPECT_EQ(r.margin_armijo, 0) << "proposal " << i;
      EXPECT_LT(r.after, r.before) << "proposal " << i;
    }
    EXPECT_NE(sweep.after, sweep.before);
  }
}

TEST(Acceptance, ConditionTwoAloneAlsoRefusesATrial) {
  // Better than the Armijo point, but, it claims, at a great distance.
  const Propose far = [](BlockObjective&, SolveResult& trial) {
    trial.best.x[0] += 1e6;
    trial.best.value *= 0.5;
  };
  const OneSweep sweep = sweep_with(far, at_least_armijo({.coefficient = 1e-5}));
  EXPECT_EQ(sweep.disagreement.value_or("none"), "none");
  for (const auto& [r, weights] : sweep.steps) {
    EXPECT_TRUE(r.fallback);
    EXPECT_LT(r.trial, r.armijo);
  }
}

TEST(Acceptance, ABlockStaysWhereNeitherTheTrialNorTheArmijoPointIsGoodEnough) {
  const OneSweep sweep = sweep_with(step_along_gradient(-1), at_least_armijo({.coefficient = 1e9}));
  EXPECT_EQ(sweep.disagreement.value_or("none"), "none");
  for (const auto& [r, weights] : sweep.steps) {
    EXPECT_TRUE(r.refused);
    EXPECT_FALSE(r.fallback);
    EXPECT_EQ(r.after, r.before);
    EXPECT_EQ(r.step_length, 0);
    EXPECT_LT(r.margin_forcing, 0);
  }
  EXPECT_EQ(sweep.after, sweep.before);
}

TEST(Acceptance, AnyDecreaseTakesEveryFinitePointThatIsNotHigherAndNoOther) {
  const auto sweep = sweep_with(step_along_gradient(-1e-3), any_decrease());
  EXPECT_NE(sweep.after, sweep.before);
  for (const auto& [r, weights] : sweep.steps) {
    EXPECT_FALSE(r.refused);
    EXPECT_LT(r.after, r.before);
    EXPECT_TRUE(std::isnan(r.armijo));
  }
  for (const Propose& bad : {step_along_gradient(1), with_value(std::nan("")), step_along_gradient(0),
                             with_value(-std::numeric_limits<double>::infinity())}) {
    const auto refused = sweep_with(bad, any_decrease());
    EXPECT_EQ(refused.after, refused.before);
    for (const auto& [r, weights] : refused.steps) {
      EXPECT_TRUE(r.refused);
      EXPECT_EQ(r.after, r.before);
      EXPECT_EQ(r.step_length, 0);
    }
  }
}

TEST(Acceptance, TheArmijoPointFollowsTheLineSearchAskedFor) {
  for (const ArmijoOptions& rule :
       {ArmijoOptions{.first_step = 0.01}, ArmijoOptions{.first_step = 64, .shrink = 0.3},
        ArmijoOptions{.decrease = 0.4}}) {
    const OneSweep sweep = sweep_with(step_along_gradient(1), at_least_armijo({.line_search = rule}));
    EXPECT_EQ(sweep.disagreement.value_or("none"), "none");
    for (const auto& [r, weights] : sweep.steps) {
      EXPECT_TRUE(r.fallback);
      EXPECT_LE(r.step_length, rule.first_step * r.gradient_norm * (1 + 1e-12));
    }
  }
}

}  // namespace
}  // namespace strata
