// From rows and options to a model: strata/model/fit.h.
#include "strata/model/fit.h"
#include "strata/data/shared_table.h"

#include <nanobind/stl/map.h>

#include "arrays.h"
#include "engine.h"
#include "hooks.h"
#include "module.h"
#include "processes.h"
#include "strata/core/errors.h"
#include "strata/model/effort.h"

namespace bindings {

using namespace nb::literals;
using strata::FitOptions;
using strata::FitResult;

namespace {

template <class E>
E chosen(std::string_view option, const std::string& name,
         const std::vector<std::pair<std::string_view, E>>& words) {
  std::string known;
  for (const auto& [word, value] : words) {
    if (word == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw strata::InvalidOption(option, name, "use one of " + known);
}

strata::Scaling scaling_from(std::string_view option, const std::string& name) {
  using strata::Scaling;
  return chosen<Scaling>(
      option, name, {{"standard", Scaling::standard}, {"minmax", Scaling::minmax}, {"none", Scaling::none}});
}

strata::MissingPolicy missing_from(const std::string& name) {
  using strata::MissingPolicy;
  return chosen<MissingPolicy>(
      "missing", name,
      {{"refuse", MissingPolicy::refuse}, {"drop", MissingPolicy::drop}, {"impute", MissingPolicy::impute}});
}

strata::UnseenPolicy unseen_from(const std::string& name) {
  using strata::UnseenPolicy;
  return chosen<UnseenPolicy>("unseen", name,
                              {{"refuse", UnseenPolicy::refuse}, {"zeros", UnseenPolicy::zeros}});
}

strata::L2 l2_from(nb::handle value) {
  if (!nb::isinstance<nb::str>(value)) return {.value = nb::cast<double>(value)};
  const auto name = nb::cast<std::string>(value);
  if (const auto named = strata::named_l2(name)) return *named;
  throw strata::InvalidOption("l2", name, "use a number, auto, paper or rho");
}

// With what the engine of a fit is made from.
struct Options : FitOptions {
  std::size_t threads = 0;
  std::size_t memory = 0;
};

// "balanced", or a weight for each label.
strata::ClassWeight class_weight_from(nb::handle value) {
  using Rule = strata::ClassWeight::Rule;
  if (nb::isinstance<nb::str>(value))
    return {.rule =
                chosen<Rule>("class_weight", nb::cast<std::string>(value), {{"balanced", Rule::balanced}})};
  return {.rule = Rule::given, .weights = nb::cast<std::map<std::string, double>>(value)};
}

// A setter for each: text lives at the door, types live inside.
void add_options(nb::module_& module) {
  nb::class_<Options>(module, "FitOptions")
      .def(nb::init<>())
      .def(
          "use_effort", [](Options& self, const std::string& name) { use_effort(self, name); }, "name"_a,
          "Sets members, hidden, knots, bends, l2 and patience.")
      .def_rw("members", &FitOptions::members)
      .def_rw("hidden", &FitOptions::hidden)
      .def_rw("knots", &FitOptions::knots)
      .def_rw("bends", &FitOptions::bends)
      .def_prop_rw(
          "method", [](const Options& self) { return self.method; },
          [](Options& self, const std::string& name) { use_method(self, name); },
          "Setting it also sets the hidden layers and the activation, where the method has its own.")
      .def_rw("radial_width", &FitOptions::radial_width)
      .def_rw("method_options", &FitOptions::method_options)
      .def_rw("seed", &FitOptions::seed)
      .def_rw("threads", &Options::threads)
      .def_prop_rw("memory", nullptr,
                   [](Options& self, const std::string& size) { self.memory = strata::memory_from(size); })
      .def_rw("patience", &FitOptions::patience)
      .def_rw("early_stopping_metric", &FitOptions::early_stopping_metric)
      .def_rw("average", &FitOptions::average)
      .def_rw("loss", &FitOptions::loss)
      .def_rw("calibrate", &FitOptions::calibrate)
      .def_prop_rw("huber_delta", nullptr,
                   [](Options& self, double value) { self.loss_options.delta = value; })
      .def_prop_rw(
          "levels", nullptr,
          [](Options& self, std::vector<double> levels) { self.loss_options.levels = std::move(levels); })
      .def_prop_rw("class_weight", nullptr,
                   [](Options& self, nb::handle value) { self.class_weight = class_weight_from(value); })
      .def_prop_rw(
          "activation", nullptr,
          [](Options& self, const std::string& name) { self.activation = strata::activation_from(name); })
      .def_prop_rw("bias", nullptr,
                   [](Options& self, const std::string& name) { self.bias = strata::bias_from(name); })
      .def_prop_rw(
          "init", nullptr,
          [](Options& self, const std::string& name) { self.init.kind = strata::initialisation_from(name); })
      .def_prop_rw("l2", nullptr, [](Options& self, nb::handle value) { self.l2 = l2_from(value); })
      .def_prop_rw("seconds", nullptr, [](Options& self, double value) { self.limits.seconds = value; })
      .def_prop_rw("sweeps", nullptr, [](Options& self, std::size_t value) { self.limits.sweeps = value; })
      .def_prop_rw("objective_at_most", nullptr,
                   [](Options& self, double value) { self.limits.objective_at_most = value; })
      .def_prop_rw("validation_fraction", nullptr,
                   [](Options& self, double value) { self.validation.fraction = value; })
      .def_prop_rw(
          "targets", nullptr,
          [](Options& self, std::vector<std::string> names) { self.preprocess.targets = std::move(names); })
      .def_prop_rw("categorical", nullptr,
                   [](Options& self, std::vector<std::string> names) {
                     self.preprocess.categorical = std::move(names);
                   })
      .def_prop_rw(
          "numeric", nullptr,
          [](Options& self, std::vector<std::string> names) { self.preprocess.numeric = std::move(names); })
      .def_prop_rw(
          "ignore", nullptr,
          [](Options& self, std::vector<std::string> names) { self.preprocess.ignore = std::move(names); })
      .def_prop_rw("max_categories", nullptr,
                   [](Options& self, std::size_t count) { self.preprocess.max_categories = count; })
      .def("make_strict", [](Options& self) { strata::make_strict(self.preprocess); })
      .def_prop_rw(
          "missing", nullptr,
          [](Options& self, const std::string& name) { self.preprocess.missing = missing_from(name); })
      .def_prop_rw("unseen", nullptr,
                   [](Options& self, const std::string& name) { self.preprocess.unseen = unseen_from(name); })
      .def_prop_rw(
          "scale", nullptr,
          [](Options& self, const std::string& name) { self.preprocess.scale = scaling_from("scale", name); })
      .def_prop_rw("target_scale", nullptr, [](Options& self, const std::string& name) {
        self.preprocess.target_scale = scaling_from("target_scale", name);
      });
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
