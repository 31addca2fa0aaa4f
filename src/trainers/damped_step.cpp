#include "trainers/damped_step.h"

#include <algorithm>

namespace strata {

DampedStep::Result DampedStep::solve(const LocalModel& model, double damping, const PcgOptions& solver) {
  step_.resize(model.gradient().size());
  return model.has_gram() ? solve_exactly(model, damping) : iterate(model, damping, solver);
}

DampedStep::Result DampedStep::solve_exactly(const LocalModel& model, double damping) {
  const ConstMatrix gram = model.gram();
  const std::span<const double> gradient = model.gradient();
  const std::size_t outputs = gradient.size() / gram.rows();
  const LeastSquaresResult solved = solve_regularised(gram, damping, {gradient.data(), gram.rows(), outputs},
                                                      space_, {step_.data(), gram.rows(), outputs});
  if (solved.reason != StopReason::solved) std::fill(step_.begin(), step_.end(), 0.0);
  for (double& d : step_) d = -d;
  return {-dot(gradient, step_) / 2, 1, solved.reason, solved.message};
}

DampedStep::Result DampedStep::iterate(const LocalModel& model, double damping, const PcgOptions& solver) {
  inverses_.prepare(model, damping);
  const std::span<const double> gradient = model.gradient();
  descent_.resize(gradient.size());
  std::transform(gradient.begin(), gradient.end(), descent_.begin(), [](double g) { return -g; });
  const PcgResult solved =
      pcg([&](std::span<const double> v, std::span<double> av) { model.times(v, av, damping); }, descent_,
          inverses_, solver, pcg_space_, step_);
  return {solved.model_decrease, solved.iterations, solved.reason, solved.message};
}

}  // namespace strata
