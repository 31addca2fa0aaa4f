#include "trainers/joint_lbfgs.h"

namespace strata {

JointLbfgs::JointLbfgs(const GaussNewtonOptions& options)
    : solver_{.memory = options.joint_pairs,
              .max_iterations = options.joint_lbfgs,
              .gradient_tolerance = 0,
              .keep_history = true},
      damping_(options.joint_damping) {}

void JointLbfgs::improve(BlockObjective& f, const LocalModel& model, const Sample& before,
                         const StepContext& step, SolveResult& trial) {
  first_matrix_.prepare(model, damping_ * before.value);
  solver_.gradient_tolerance = step.tolerance;
  minimise(
      f, before, solver_, memory_, trial, [&step](const SolveResult&) { return step.interrupt(); },
      first_matrix_);
  if (trial.reason == StopReason::non_finite) memory_.history.clear();
}

}  // namespace strata
