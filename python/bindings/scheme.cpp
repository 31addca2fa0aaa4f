// Schemes: the structs of strata/trainers/scheme.h with the same names and defaults, every field open; selections, updates
// and acceptance by the functions of the same names as in C++.
#include "strata/trainers/scheme.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

#include "fields.h"
#include "module.h"
#include "strata/objective/loss.h"
#include "strata/trainers/method_options.h"
#include "strata/trainers/presets.h"

namespace bindings {

using namespace nb::literals;
using strata::Scheme;

namespace {

void add_parts(nb::module_& module) {
  const Scheme scheme;
  add_kinds(module, "Selection", "Which blocks are visited with a batch, in which order.", false,
            &scheme.selection);
  module.def("backward_sweep", &strata::backward_sweep);
  module.def("forward_sweep", &strata::forward_sweep);
  module.def("random_sweep", &strata::random_sweep);
  module.def("layer_and_all_after", &strata::layer_and_all_after);
  add_kinds(module, "Update", "How a block is improved.", true, &scheme.updates.hidden);
  add_kinds(module, "Acceptance", "When a trial point may replace the old one.", true, &scheme.acceptance);
}

void add_options(nb::module_& module) {
  add_enum<strata::Partition>(module, "Partition");
  add_enum<strata::BatchOrder>(module, "BatchOrder");
  add_enum<strata::Precision>(module, "Precision");
  add_enum<strata::StepSize::Rule>(module, "StepRule");
  add_options_class<strata::BatchOptions>(module, "Batches",
                                          "How rows are grouped; size 0: all rows, the batch scheme.");
  add_options_class<strata::BlockTolerance>(module, "BlockTolerance",
                                            "epsilon of B2LD, smaller by `factor` from sweep to sweep.");
  add_options_class<strata::StepSize>(
      module, "StepSize", "How the step of gradient updates changes from minibatch to minibatch.");
  add_options_class<strata::Stopping>(module, "Stopping",
                                      "When a run ends; 0, or -inf for the objective: no such rule.");
  add_options_class<strata::Reporting>(module, "Reporting",
                                       "When the full objective of a minibatch run is evaluated.");
  add_options_class<strata::LookAhead>(module, "LookAhead",
                                       "Undoes minibatches that make the rows of the next one worse.");
}

void set_updates(Scheme& scheme, const strata::UpdateRecipe& hidden, const strata::UpdateRecipe* output) {
  scheme.updates = {.hidden = hidden, .output = output != nullptr ? *output : strata::UpdateRecipe{}};
}

void add_methods(nb::module_& module) {
  module.def(
      "preset",
      [](const std::string& method, std::size_t layers, const strata::MethodOptionValues& values) {
        return strata::preset(method, layers, values);
      },
      "method"_a, "layers"_a, "values"_a);
  module.def("regression_losses", [] {
    std::vector<std::string> names;
    for (const strata::LossInfo& loss : strata::losses())
      if (!loss.for_classes) names.emplace_back(loss.name);
    return names;
  });
  module.def("methods", [] {
    nb::typed<nb::dict, nb::str, nb::str> all;
    for (const strata::MethodInfo& method : strata::methods())
      all[nb::str(method.name.data(), method.name.size())] =
          nb::str(method.summary.data(), method.summary.size());
    return all;
  });
  module.def(
      "method_options", [](const std::string& method) { return dicts(strata::options_of(method)); },
      "method"_a);
}

}  // namespace

void add_scheme(nb::module_& module) {
  add_parts(module);
  add_options(module);
  nb::class_<Scheme>(module, "Scheme", "A training method: a recipe made of parts, each replaceable alone.")
      .def(
          "__init__",
          [](nb::pointer_and_handle<Scheme> self, const strata::UpdateRecipe& hidden,
             const strata::UpdateRecipe* output, const nb::kwargs& parts) {
            new (self.p) Scheme{};
            set_updates(*self.p, hidden, output);
            assign(self.h, parts);
          },
          "hidden"_a, "output"_a.none() = nb::none(), "parts"_a,
          "The updates of hidden layers and of the output layer (None: the same), and other parts by name.")
      .def_rw("name", &Scheme::name)
      .def_rw("batches", &Scheme::batches)
      .def_rw("selection", &Scheme::selection)
      .def_rw("acceptance", &Scheme::acceptance)
      .def_rw("look_ahead", &Scheme::look_ahead)
      .def_rw("tolerance", &Scheme::tolerance)
      .def_rw("step_size", &Scheme::step_size)
      .def_rw("stopping", &Scheme::stopping)
      .def_rw("reporting", &Scheme::reporting)
      .def("set_updates", &set_updates, "hidden"_a, "output"_a.none() = nb::none())
      .def("__copy__", [](const Scheme& self) { return Scheme(self); })
      .def("__repr__", [](const Scheme& self) { return "<strata.Scheme " + self.name + ">"; });
  add_methods(module);
}

}  // namespace bindings
