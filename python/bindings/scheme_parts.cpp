// The named parts of a scheme: selections and updates, by the same functions as in C++ (strata/trainers/selection.h,
// update.h). Options are keyword arguments.
#include <nanobind/stl/pair.h>

#include "arrays.h"
#include "module.h"
#include "recipes.h"
#include "strata/core/errors.h"
#include "strata/trainers/selection.h"
#include "strata/trainers/update.h"

namespace bindings {

using namespace nb::literals;

namespace {

strata::LayerOrder order_from(const std::string& name) {
  if (name == "backward") return strata::LayerOrder::backward;
  if (name == "forward") return strata::LayerOrder::forward;
  if (name == "random") return strata::LayerOrder::random;
  throw strata::InvalidOption("order", name, "use backward, forward or random");
}

void add_selections(nb::module_& module) {
  nb::class_<Selection>(module, "Selection", "Which blocks are visited with a batch, in which order.");
  const auto order = "order"_a = "backward";
  module.def(
      "every_layer", [](const std::string& name) { return Selection{every_layer(order_from(name))}; }, order);
  module.def("backward_sweep", [] { return Selection{strata::backward_sweep()}; });
  module.def("forward_sweep", [] { return Selection{strata::forward_sweep()}; });
  module.def("random_sweep", [] { return Selection{strata::random_sweep()}; });
  module.def("whole_network", [] { return Selection{strata::whole_network()}; });
  module.def("layer_and_all_after", [] { return Selection{strata::layer_and_all_after()}; });
  module.def(
      "given_order",
      [](const std::vector<std::pair<std::size_t, std::size_t>>& blocks) {
        std::vector<strata::Block> given;
        for (const auto& [first, last] : blocks) given.push_back({first, last});
        return Selection{strata::given_order(std::move(given))};
      },
      "blocks"_a);
  module.def(
      "fixed_subset",
      [](std::vector<std::size_t> layers, const std::string& name) {
        return Selection{strata::fixed_subset(std::move(layers), order_from(name))};
      },
      "layers"_a, order);
  module.def(
      "random_subset",
      [](std::size_t count, const std::string& name) {
        return Selection{strata::random_subset(count, order_from(name))};
      },
      "count"_a, order);
  module.def(
      "one_layer_per_batch",
      [](const std::string& name) { return Selection{strata::one_layer_per_batch(order_from(name))}; },
      order);
  module.def(
      "largest_gradient", [](std::size_t bound) { return Selection{strata::largest_gradient(bound)}; },
      "bound"_a = 0);
  module.def("output_layer_only", [] { return Selection{strata::output_layer_only()}; });
  module.def("output_then_hidden", [] { return Selection{strata::output_then_hidden()}; });
}

void add_block_updates(nb::module_& module) {
  const strata::BlockLbfgsOptions lbfgs;
  module.def(
      "lbfgs",
      [](std::size_t memory, int max_iterations, double gradient_tolerance, bool keep_history,
         bool quadratic_output) {
        return Update{strata::lbfgs({.solver = {.memory = memory,
                                                .max_iterations = max_iterations,
                                                .gradient_tolerance = gradient_tolerance,
                                                .keep_history = keep_history},
                                     .quadratic_output = quadratic_output})};
      },
      nb::kw_only(), "memory"_a = lbfgs.solver.memory, "max_iterations"_a = lbfgs.solver.max_iterations,
      "gradient_tolerance"_a = lbfgs.solver.gradient_tolerance, "keep_history"_a = false,
      "quadratic_output"_a = lbfgs.quadratic_output);
  module.def(
      "armijo_gradient_steps",
      [](int steps) { return Update{strata::armijo_gradient_steps({.steps = steps})}; }, nb::kw_only(),
      "steps"_a = strata::GradientStepsOptions{}.steps);
  module.def("least_squares", [] { return Update{strata::least_squares()}; });
  const strata::CgOptions cg;
  module.def(
      "conjugate_gradient",
      [](int max_iterations, double gradient_tolerance, double relative_tolerance) {
        return Update{strata::conjugate_gradient({.max_iterations = max_iterations,
                                                  .gradient_tolerance = gradient_tolerance,
                                                  .relative_tolerance = relative_tolerance})};
      },
      nb::kw_only(), "max_iterations"_a = cg.max_iterations, "gradient_tolerance"_a = cg.gradient_tolerance,
      "relative_tolerance"_a = cg.relative_tolerance);
  const strata::GaussNewtonOptions gn;
  module.def(
      "gauss_newton",
      [](int iterations, double tolerance, double set_up, double damping, double change, double after_refusal,
         double noise_damping) {
        return Update{strata::gauss_newton(
            {.solver = {.max_iterations = iterations, .relative_tolerance = tolerance, .set_up = set_up},
             .damping = damping,
             .change = change,
             .after_refusal = after_refusal,
             .noise_damping = noise_damping})};
      },
      nb::kw_only(), "max_iterations"_a = gn.solver.max_iterations,
      "relative_tolerance"_a = gn.solver.relative_tolerance, "set_up"_a = gn.solver.set_up,
      "damping"_a = gn.damping, "change"_a = gn.change, "after_refusal"_a = gn.after_refusal,
      "noise_damping"_a = gn.noise_damping);
}

void add_gradient_updates(nb::module_& module) {
  const strata::Normalisation normal;
  module.def(
      "gradient_step",
      [](bool normalise, double least, double most, bool sum) {
        strata::GradientStepOptions options{.sum = sum};
        options.normalisation.reset();
        if (normalise) options.normalisation = {.least = least, .most = most};
        return Update{strata::gradient_step(options)};
      },
      nb::kw_only(), "normalise"_a = true, "least"_a = normal.least, "most"_a = normal.most, "sum"_a = false);
  const strata::AdamOptions adam;
  module.def(
      "adam",
      [](double rate, double beta1, double beta2, double epsilon, bool cosine) {
        return Update{strata::adam(
            {.rate = rate, .beta1 = beta1, .beta2 = beta2, .epsilon = epsilon, .cosine = cosine})};
      },
      nb::kw_only(), "rate"_a = adam.rate, "beta1"_a = adam.beta1, "beta2"_a = adam.beta2,
      "epsilon"_a = adam.epsilon, "cosine"_a = adam.cosine);
  const strata::AdagradOptions adagrad;
  module.def(
      "adagrad",
      [](double rate, double epsilon) { return Update{strata::adagrad({.rate = rate, .epsilon = epsilon})}; },
      nb::kw_only(), "rate"_a = adagrad.rate, "epsilon"_a = adagrad.epsilon);
  const strata::SvrgOptions svrg;
  module.def(
      "svrg",
      [](double rate, std::size_t every) {
        return Update{strata::svrg({.rate = rate, .snapshot_every = every})};
      },
      nb::kw_only(), "rate"_a = svrg.rate, "snapshot_every"_a = svrg.snapshot_every);
  module.def(
      "saga", [](double rate) { return Update{strata::saga({.rate = rate})}; }, nb::kw_only(),
      "rate"_a = strata::SagaOptions{}.rate);
}

}  // namespace

void add_scheme_parts(nb::module_& module) {
  add_selections(module);
  nb::class_<Update>(module, "Update", "How a block is improved.");
  add_block_updates(module);
  add_gradient_updates(module);
}

}  // namespace bindings
