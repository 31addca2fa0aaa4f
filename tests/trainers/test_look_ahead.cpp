#include <gtest/gtest.h>

#include <limits>

#include "strata/core/errors.h"
#include "strata/trainers/presets.h"
#include "support/training.h"

namespace strata {
namespace {

using testing_support::SmallProblem;
using testing_support::smooth_data;
using testing_support::trained;
using testing_support::Trained;
using testing_support::weights_of;

// Multiplies the weights of its block: 1 does nothing, 50 spoils every prediction.
class Scale final : public Update {
 public:
  Scale(double factor, int& undone) : factor_(factor), undone_(undone) {}
  void apply(StepContext& step) override {
    Vector weights(std::as_const(step.network).weights(step.block).begin(),
                   std::as_const(step.network).weights(step.block).end());
    for (double& w : weights) w *= factor_;
    step.record.before = 1;
    step.objective.commit(step.block, weights);
  }
  void steps_undone() override { ++undone_; }

 private:
  double factor_;
  int& undone_;
};

Scheme scaling(double factor, double most_increase, int& undone) {
  Scheme scheme = ig(16);
  scheme.updates.hidden = CustomUpdate{
      "scale", [factor, &undone](const UpdateSetup&) { return std::make_unique<Scale>(factor, undone); }};
  scheme.look_ahead.most_increase = most_increase;
  scheme.stopping = {.max_sweeps = 3};
  return scheme;
}

TEST(LookAhead, UndoesAMinibatchThatMakesOtherRowsMuchWorse) {
  const SmallProblem problem;
  int undone = 0;
  const Trained done = trained(problem.start, problem.data, scaling(50, 0.3, undone), {});
  EXPECT_EQ(weights_of(done.network), weights_of(problem.start));
  ASSERT_EQ(done.result.history.size(), 3U);
  for (const SweepRecord& record : done.result.history)
    EXPECT_EQ(record.undone, 4U);  // 60 rows in batches of 16
  EXPECT_EQ(undone, 12);
}

TEST(LookAhead, LetsASmallIncreaseStand) {
  const SmallProblem problem;
  int undone = 0;
  const TrainingResult result =
      trained(problem.start, problem.data, scaling(1.0001, 100, undone), {.objective = {.l2 = 1}}).result;
  EXPECT_EQ(undone, 0);
  for (const SweepRecord& record : result.history) EXPECT_EQ(record.undone, 0U);
}

// The same batch may come twice in a row, after which the rows that were looked ahead at are those of an older one.
TEST(LookAhead, AloneChangesNothingWhateverTheOrderOfBatches) {
  const SmallProblem problem;
  for (const BatchOrder order :
       {BatchOrder::incremental, BatchOrder::stochastic, BatchOrder::without_replacement}) {
    Scheme scheme = ig(16);
    scheme.batches.order = order;
    scheme.stopping = {.max_sweeps = 10};
    const Trained plain = trained(problem.start, problem.data, scheme, {});
    scheme.look_ahead.most_increase = 1e12;
    EXPECT_EQ(weights_of(trained(problem.start, problem.data, scheme, {}).network),
              weights_of(plain.network));
  }
}

TEST(LookAhead, DoesNotLookUnlessAsked) {
  const SmallProblem problem;
  int undone = 0;
  trained(problem.start, problem.data, scaling(50, std::numeric_limits<double>::infinity(), undone), {});
  EXPECT_EQ(undone, 0);
}

// Activations kept from looking ahead are those a fresh pass would compute: with nothing to undo the bits are the same.
TEST(LookAhead, KeepsTheBits) {
  const SmallProblem problem;
  Scheme scheme = blgn(16);
  scheme.batches.grow_below = 0;
  scheme.stopping = {.max_sweeps = 6};
  scheme.look_ahead = {};
  const Trained plain = trained(problem.start, problem.data, scheme, {.objective = problem.objective});
  scheme.look_ahead.most_increase = 1e300;
  const Trained looking = trained(problem.start, problem.data, scheme, {.objective = problem.objective});
  EXPECT_EQ(weights_of(looking.network), weights_of(plain.network));
  EXPECT_GT(looking.result.work.forward, plain.result.work.forward);
}

TEST(LookAhead, RefusesAFractionThatIsNone) {
  const SmallProblem problem;
  int undone = 0;
  EXPECT_THROW(trained(problem.start, problem.data, scaling(1, -0.1, undone), {}), InvalidOption);
}

}  // namespace
}  // namespace strata
