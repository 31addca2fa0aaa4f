#pragma once

#include "strata/solvers/line_search.h"
#include "strata/solvers/solve_result.h"
#include "strata/trainers/update.h"

namespace strata {

// The paper's Algorithm 2 for one block: evaluate, find a trial point, accept it or the Armijo point, commit, record.
class TrialUpdate : public Update {
 public:
  void apply(StepContext& step) final;

 protected:
  // Chance to change how the function is evaluated (the output layer's quadratic form).
  virtual void prepare(BlockObjective& /*f*/) {}
  // The function and its gradient at the current weights.
  virtual void sample(BlockObjective& f, std::span<const double> weights, Sample& before) {
    evaluate(f, weights, before);
  }
  // Writes the trial point and its value into `trial`.
  virtual void improve(BlockObjective& f, const Sample& before, const StepContext& step,
                       SolveResult& trial) = 0;

  // Of the block's gradient, to compare with the tolerance at which a layer is left alone.
  [[nodiscard]] virtual double measure(std::span<const double> gradient) const { return norm(gradient); }

 private:
  void accept(BlockObjective& f, StepContext& step);

  Sample before_;
  SolveResult trial_;
  Vector direction_;
  ArmijoResult armijo_;
};

}  // namespace strata
