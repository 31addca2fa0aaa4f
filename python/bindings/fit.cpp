// From rows and options to a model: strata/model/fit.h.
#include "strata/model/fit.h"
#include "strata/data/shared_table.h"

#include <nanobind/stl/map.h>

#include "arrays.h"
#include "engine.h"
#include "fields.h"
#include "hooks.h"
#include "module.h"
#include "processes.h"
#include "strata/model/effort.h"

namespace bindings {

using namespace nb::literals;
using strata::FitOptions;
using strata::FitResult;

namespace {

// With what the engine of a fit is made from.
struct Options : FitOptions {
  std::size_t threads = 0;
  std::size_t memory = 0;
};

void add_options(nb::module_& module) {
  nb::class_<Options>(module, "FitOptions")
      .def(nb::init<>())
      .def(
          "use_effort", [](Options& self, const std::string& name) { use_effort(self, name); }, "name"_a,
          "Sets members, hidden, knots, bends, lines, interactions, l2 and patience.")
      .def(
          "use_method", [](Options& self, const std::string& name) { use_method(self, name); }, "name"_a,
          "Sets the method, and the hidden layers and the activation where it has its own.")
      .def("make_strict", [](Options& self) { strata::make_strict(self.preprocess); })
      .def(
          "set",
          [](Options& self, const std::string& name, const std::vector<std::string>& texts,
             const std::string& shown_as) { set_option(self, name, texts, shown_as); },
          "name"_a, "texts"_a, "shown_as"_a,
          "Sets one of fit_options() by its texts, the items of a list one by one.")
      .def(
          "get",
          [](const Options& self, const std::string& name) {
            std::string text;
            strata::for_each_field(self, [&](const strata::Field& field, const auto& value) {
              if (field.name == name) text = text_of(field, value);
            });
            return text;
          },
          "name"_a, "One of fit_options() as text.")
      .def_rw("method_options", &FitOptions::method_options)
      .def_rw("seed", &FitOptions::seed)
      .def_rw("threads", &Options::threads)
      .def_prop_rw("memory", nullptr,
                   [](Options& self, const std::string& size) { self.memory = strata::memory_from(size); });
  module.def("fit_options", [] { return dicts(strata::fit_options()); });
}

// The result, and what a callback or Ctrl-C raised while it was made: the model is kept all the same.
struct Fitted {
  FitResult result;
  Hooks hooks;
  std::vector<std::string> notices = {};
};

strata::Table shared(const strata::Table& rows, strata::Communicator& processes) {
  return share_table(rows, processes);
}
strata::NumericRows shared(const strata::NumericRows& rows, strata::Communicator& processes) {
  return share_numbers(rows, processes);
}

template <class Rows>
strata::FitData prepare_rows(const Rows& rows, const Rows* validation,
                             const strata::Preprocessor* preprocessor, const FitOptions& options,
                             strata::Communicator& processes) {
  std::optional<Rows> own, own_validation;  // a single process shares nothing
  if (!processes.alone()) {
    own = shared(rows, processes);
    if (validation != nullptr) own_validation = shared(*validation, processes);
  }
  std::optional<strata::RowSource> watched;
  if (validation != nullptr) watched.emplace(own ? *own_validation : *validation, processes);
  return prepare({own ? *own : rows, processes}, options, {watched ? &*watched : nullptr, preprocessor});
}

template <class Rows>
Fitted fit_rows(const Rows& rows, const Rows* validation, const Options& options, const strata::Model* start,
                nb::object sweep, const nb::object& comm) {
  const Processes processes(comm);
  strata::Engine engine(
      {.threads = options.threads, .processes = &processes.get(), .memory = options.memory});
  warn_if_threads_are_missing(engine);
  Fitted fitted{{.model = {.networks = {}, .preprocessor = {}}, .training = {}, .train = {}},
                Hooks(nb::none(), std::move(sweep))};
  const strata::FitHooks hooks{
      .observers = fitted.hooks.observers(),
      .interrupt = [&fitted] { return fitted.hooks.interrupted(); },
      .after_sweep = [&fitted](const strata::SweepRecord&) { return fitted.hooks.stopped(); },
      .engine = &engine};
  const nb::gil_scoped_release unlocked;
  strata::FitData data = prepare_rows(rows, validation, start != nullptr ? &start->preprocessor : nullptr,
                                      options, processes.get());
  if (start != nullptr) data.start = start->networks;
  fitted.notices = data.notices;
  fitted.result = fit(std::move(data), options, hooks);
  return fitted;
}

struct NumberRows {
  Array2 x;
  Array2 y;
  std::optional<Array1> weights;
  std::vector<std::string> names;
  std::vector<std::string> target_names;
  std::vector<std::string> labels;

  [[nodiscard]] strata::NumericRows numbers() const {
    return {view(x), view(y), view(weights), names, target_names, labels};
  }
};

}  // namespace

void add_fit(nb::module_& module) {
  add_options(module);
  nb::class_<NumberRows>(module, "NumberRows")
      .def(
          "__init__",
          [](NumberRows* self, Array2 x, Array2 y, std::optional<Array1> weights,
             std::vector<std::string> names, std::vector<std::string> target_names,
             std::vector<std::string> labels) {
            new (self) NumberRows{
                std::move(x),     std::move(y), std::move(weights), std::move(names), std::move(target_names),
                std::move(labels)};
          },
          "x"_a, "y"_a, "weights"_a.none(), "names"_a, "target_names"_a, "labels"_a,
          "labels: of classes, whose codes from 0 are y.")
      .def("__len__", [](const NumberRows& self) { return self.x.shape(0); });
  nb::class_<Fitted>(module, "Fitted")
      .def_prop_ro("model", [](const Fitted& self) { return self.result.model; })
      .def_prop_ro("training", [](const Fitted& self) { return self.result.training; })
      .def_prop_ro("notices", [](const Fitted& self) { return self.notices; })
      .def_prop_ro("l2", [](const Fitted& self) { return self.result.l2; })
      .def("raise_pending", [](const Fitted& self) { self.hooks.raise_pending(); });
  module.def(
      "fit_numbers",
      [](const NumberRows& rows, const NumberRows* validation, const Options& options,
         const strata::Model* start, nb::object sweep, const nb::object& comm) {
        const strata::NumericRows numbers = rows.numbers();
        const strata::NumericRows held_out =
            validation != nullptr ? validation->numbers() : strata::NumericRows{};
        return fit_rows(numbers, validation != nullptr ? &held_out : nullptr, options, start,
                        std::move(sweep), comm);
      },
      "rows"_a, "validation"_a.none(), "options"_a, "start"_a.none(), "sweep"_a.none(), "comm"_a.none());
  module.def("fit_table", &fit_rows<strata::Table>, "table"_a, "validation"_a.none(), "options"_a,
             "start"_a.none(), "sweep"_a.none(), "comm"_a.none());
}

}  // namespace bindings
