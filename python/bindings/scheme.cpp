// Schemes: the structs of strata/trainers/scheme.h with the same names and defaults, every field open.
#include "strata/trainers/scheme.h"

#include <nanobind/stl/map.h>

#include "arrays.h"
#include "module.h"
#include "recipes.h"
#include "strata/core/errors.h"
#include "strata/trainers/method_options.h"
#include "strata/trainers/presets.h"

namespace bindings {

using namespace nb::literals;
using strata::Scheme;

namespace {

// Sets attributes of a new object; one that the class does not have is an AttributeError.
void assign(nb::handle made, const nb::kwargs& given) {
  nb::inst_mark_ready(made);
  for (const auto& [name, value] : given) nb::setattr(made, name, value);
}

// A struct of plain fields as a class that takes them as keyword arguments.
template <class Fields>
class FieldsOf {
 public:
  FieldsOf(nb::module_& module, const char* name, const char* doc) : class_(module, name, doc) {
    class_.def("__init__", [](nb::pointer_and_handle<Fields> self, const nb::kwargs& given) {
      new (self.p) Fields{};
      assign(self.h, given);
    });
  }
  template <class T>
  FieldsOf& field(const char* name, T Fields::*member) {
    class_.def_rw(name, member);
    return *this;
  }

 private:
  nb::class_<Fields> class_;
};

void add_enums(nb::module_& module) {
  nb::enum_<strata::Partition>(module, "Partition")
      .value("fixed", strata::Partition::fixed)
      .value("every_epoch", strata::Partition::every_epoch);
  nb::enum_<strata::BatchOrder>(module, "BatchOrder")
      .value("incremental", strata::BatchOrder::incremental)
      .value("stochastic", strata::BatchOrder::stochastic)
      .value("without_replacement", strata::BatchOrder::without_replacement);
  nb::enum_<strata::Precision>(module, "Precision")
      .value("float64", strata::Precision::float64)
      .value("float32", strata::Precision::float32);
  nb::enum_<strata::StepSize::Rule>(module, "StepRule")
      .value("constant", strata::StepSize::Rule::constant)
      .value("diminishing", strata::StepSize::Rule::diminishing)
      .value("harmonic", strata::StepSize::Rule::harmonic);
}

void add_fields(nb::module_& module) {
  using strata::BatchOptions;
  FieldsOf<BatchOptions>(module, "Batches", "How rows are grouped; size 0: all rows, the batch scheme.")
      .field("size", &BatchOptions::size)
      .field("partition", &BatchOptions::partition)
      .field("order", &BatchOptions::order)
      .field("all_rows_first", &BatchOptions::all_rows_first)
      .field("skip_short", &BatchOptions::skip_short)
      .field("grow_below", &BatchOptions::grow_below)
      .field("precision", &BatchOptions::precision);
  using strata::BlockTolerance;
  FieldsOf<BlockTolerance>(module, "BlockTolerance",
                           "epsilon of B2LD, smaller by `factor` from sweep to sweep.")
      .field("first", &BlockTolerance::first)
      .field("factor", &BlockTolerance::factor)
      .field("skip", &BlockTolerance::skip);
  using strata::StepSize;
  FieldsOf<StepSize>(module, "StepSize",
                     "How the step of gradient updates changes from minibatch to minibatch.")
      .field("rule", &StepSize::rule)
      .field("first", &StepSize::first)
      .field("epsilon", &StepSize::epsilon);
  using strata::Stopping;
  FieldsOf<Stopping>(module, "Stopping", "When a run ends; 0 or infinite: no such rule.")
      .field("gradient_norm", &Stopping::gradient_norm)
      .field("gradient_when_idle", &Stopping::gradient_when_idle)
      .field("relative_decrease", &Stopping::relative_decrease)
      .field("max_sweeps", &Stopping::max_sweeps)
      .field("max_evaluations", &Stopping::max_evaluations)
      .field("seconds", &Stopping::seconds)
      .field("objective_at_most", &Stopping::objective_at_most);
  using strata::Reporting;
  FieldsOf<Reporting>(module, "Reporting", "When the full objective of a minibatch run is evaluated.")
      .field("every_sweeps", &Reporting::every_sweeps)
      .field("every_seconds", &Reporting::every_seconds)
      .field("steps", &Reporting::steps);
  using strata::LookAhead;
  FieldsOf<LookAhead>(module, "LookAhead", "Undoes minibatches that make the rows of the next one worse.")
      .field("most_increase", &LookAhead::most_increase);
}

void add_acceptance(nb::module_& module) {
  nb::class_<strata::Acceptance>(module, "Acceptance", "When a trial point may replace the old one.");
  const strata::ArmijoAcceptance defaults;
  module.def(
      "at_least_armijo",
      [](double coefficient, double power, double first_step, double decrease, double shrink) {
        return strata::at_least_armijo(
            {.line_search = {.first_step = first_step, .decrease = decrease, .shrink = shrink},
             .coefficient = coefficient,
             .power = power});
      },
      nb::kw_only(), "coefficient"_a = defaults.coefficient, "power"_a = defaults.power,
      "first_step"_a = defaults.line_search.first_step, "decrease"_a = defaults.line_search.decrease,
      "shrink"_a = defaults.line_search.shrink, "Conditions (1) and (2) of the paper.");
  module.def("any_decrease", &strata::any_decrease, "Every finite point that does not increase f.");
}

void set_updates(Scheme& scheme, const Update& hidden, const Update* output) {
  scheme.updates = {.hidden = hidden.recipe, .output = output != nullptr ? output->recipe : nullptr};
}

void add_methods(nb::module_& module) {
  module.def(
      "preset",
      [](const std::string& method, std::size_t layers, const strata::MethodOptionValues& values) {
        return strata::preset(method, layers, values);
      },
      "method"_a, "layers"_a, "values"_a);
  module.def("methods", [] {
    nb::typed<nb::dict, nb::str, nb::str> all;
    for (const strata::MethodInfo& method : strata::methods())
      all[nb::str(method.name.data(), method.name.size())] =
          nb::str(method.summary.data(), method.summary.size());
    return all;
  });
  module.def(
      "method_options",
      [](const std::string& method) {
        nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::str>> all;
        for (const strata::MethodOption& option : strata::options_of(method)) {
          nb::dict one;
          one["name"] = option.name;
          one["default"] = option.default_value;
          one["accepts"] = std::string(accepted(option.kind));
          one["help"] = option.help;
          all.append(one);
        }
        return all;
      },
      "method"_a);
}

}  // namespace

void add_scheme(nb::module_& module) {
  add_enums(module);
  add_fields(module);
  add_acceptance(module);
  nb::class_<Scheme>(module, "Scheme", "A training method: a recipe made of parts, each replaceable alone.")
      .def(
          "__init__",
          [](nb::pointer_and_handle<Scheme> self, const Update& hidden, const Update* output,
             const nb::kwargs& parts) {
            new (self.p) Scheme{};
            set_updates(*self.p, hidden, output);
            assign(self.h, parts);
          },
          "hidden"_a, "output"_a.none() = nb::none(), "parts"_a,
          "The updates of hidden layers and of the output layer (None: the same), and other parts by name.")
      .def_rw("name", &Scheme::name)
      .def_rw("batches", &Scheme::batches)
      .def_rw("acceptance", &Scheme::acceptance)
      .def_rw("look_ahead", &Scheme::look_ahead)
      .def_rw("tolerance", &Scheme::tolerance)
      .def_rw("step_size", &Scheme::step_size)
      .def_rw("stopping", &Scheme::stopping)
      .def_rw("reporting", &Scheme::reporting)
      .def_prop_rw(
          "selection", [](const Scheme& self) { return Selection{self.selection}; },
          [](Scheme& self, const Selection& selection) { self.selection = selection.recipe; })
      .def("set_updates", &set_updates, "hidden"_a, "output"_a.none() = nb::none())
      .def("__copy__", [](const Scheme& self) { return Scheme(self); })
      .def("__repr__", [](const Scheme& self) { return "<strata.Scheme " + self.name + ">"; });
  add_methods(module);
}

}  // namespace bindings
