#pragma once

#include <cmath>
#include <span>

#include "strata/trainers/update.h"

namespace strata {

// Gradient of the batch at the current weights, then `move`. A gradient that is not finite moves nothing.
class GradientUpdate : public Update {
 public:
  void apply(StepContext& step) final {
    StepRecord& record = step.record;
    const Work start = step.objective.work();
    BlockObjective f = step.objective.open(step.block);
    const auto weights = step.network.weights(step.block);
    gradient_.resize(weights.size());
    const auto [loss, squared_norm] = f.gradient(weights, gradient_);
    record.before = loss;
    record.gradient_norm = std::sqrt(squared_norm);
    record.iterations = 1;
    if (std::isfinite(record.before) && std::isfinite(record.gradient_norm) &&
        move(f, weights, gradient_, step)) {
      step.objective.commit(step.block, weights);
    } else {
      record.refused = true;
      record.reason = StopReason::non_finite;
      record.message = "the gradient is not finite: no step taken, step size halved";
    }
    record.work = step.objective.work() - start;
  }

 protected:
  // False: another gradient it needs is not finite, nothing was moved.
  virtual bool move(BlockObjective& f, std::span<double> weights, std::span<double> gradient,
                    StepContext& step) = 0;

 private:
  Vector gradient_;
};

}  // namespace strata
