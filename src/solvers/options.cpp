#include <fmt/core.h>

#include <cmath>

#include "solvers/option_checks.h"
#include "strata/core/errors.h"
#include "strata/solvers/conjugate_gradient.h"
#include "strata/solvers/gradient_steps.h"
#include "strata/solvers/lbfgs.h"
#include "strata/solvers/line_search.h"
#include "strata/solvers/wolfe.h"

namespace strata {

namespace {

// Written so that NaN is refused.
bool inside(double low, double value, double high) { return low < value && value < high; }
bool usable_tolerance(double value) { return value >= 0 && std::isfinite(value); }

}  // namespace

void require(bool right, std::string_view field, double value, std::string_view remedy) {
  if (!right) throw InvalidOption(field, fmt::format("{}", value), remedy);
}

void check(const ArmijoOptions& options) {
  require(options.first_step > 0 && std::isfinite(options.first_step), "armijo.first_step",
          options.first_step, "use a positive number");
  require(inside(0, options.decrease, 1), "armijo.decrease", options.decrease,
          "use a number between 0 and 1, such as 1e-4");
  require(inside(0, options.shrink, 1), "armijo.shrink", options.shrink,
          "use a number between 0 and 1, such as 0.5");
  require(options.max_trials >= 1, "armijo.max_trials", options.max_trials, "use 1 or more");
}

void check(const WolfeOptions& options) {
  require(inside(0, options.decrease, options.curvature), "wolfe.decrease", options.decrease,
          "use a number between 0 and wolfe.curvature, such as 1e-4");
  require(inside(options.decrease, options.curvature, 1), "wolfe.curvature", options.curvature,
          "use a number between wolfe.decrease and 1, such as 0.9");
  require(options.max_trials >= 1, "wolfe.max_trials", options.max_trials, "use 1 or more");
}

void check(const LbfgsOptions& options) {
  require(options.memory >= 1, "lbfgs.memory", static_cast<double>(options.memory), "use 1 or more");
  require(options.max_iterations >= 0, "lbfgs.max_iterations", options.max_iterations, "use 0 or more");
  require(options.max_evaluations >= 0, "lbfgs.max_evaluations", options.max_evaluations,
          "use 0 for no limit, or more");
  require(usable_tolerance(options.gradient_tolerance), "lbfgs.gradient_tolerance",
          options.gradient_tolerance, "use 0 or more");
  require(usable_tolerance(options.relative_decrease), "lbfgs.relative_decrease", options.relative_decrease,
          "use 0 to switch it off, or more");
  check(options.line_search);
}

void check(const GradientStepsOptions& options) {
  require(options.steps >= 0, "gradient_steps.steps", options.steps, "use 0 or more");
  require(usable_tolerance(options.gradient_tolerance), "gradient_steps.gradient_tolerance",
          options.gradient_tolerance, "use 0 or more");
  check(options.line_search);
}

void check(const PcgOptions& options) {
  require(options.max_iterations >= 0, "pcg.max_iterations", options.max_iterations, "use 0 or more");
  require(usable_tolerance(options.relative_tolerance), "pcg.relative_tolerance", options.relative_tolerance,
          "use 0 or more");
  require(usable_tolerance(options.set_up), "pcg.set_up", options.set_up, "use 0 or more");
}

void check(const CgOptions& options) {
  require(options.max_iterations >= 0, "cg.max_iterations", options.max_iterations, "use 0 or more");
  require(usable_tolerance(options.gradient_tolerance), "cg.gradient_tolerance", options.gradient_tolerance,
          "use 0 or more");
  require(options.relative_tolerance >= 0 && options.relative_tolerance < 1, "cg.relative_tolerance",
          options.relative_tolerance, "use 0 or more, below 1");
}

}  // namespace strata
