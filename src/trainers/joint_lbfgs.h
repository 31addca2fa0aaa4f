#pragma once

#include "strata/objective/local_model.h"
#include "strata/solvers/lbfgs.h"
#include "strata/trainers/update.h"
#include "trainers/kronecker.h"

namespace strata {

// All layers together on all rows: L-BFGS whose first matrix is the Kronecker inverses of the layers' Gauss-Newton matrices, made
// anew at every visit. Pairs are kept from visit to visit: they tell how layers depend on each other.
class JointLbfgs {
 public:
  explicit JointLbfgs(const GaussNewtonOptions& options);

  void improve(BlockObjective& f, const LocalModel& model, const Sample& before, const StepContext& step,
               SolveResult& trial);

  void save(State& state) const { memory_.history.save(state); }
  void restore(const State& state, std::size_t size) { memory_.history.restore(state, size, solver_.memory); }

 private:
  LbfgsOptions solver_;
  double damping_;  // of the first matrix, over f
  KroneckerInverses first_matrix_;
  LbfgsMemory memory_;
};

}  // namespace strata
