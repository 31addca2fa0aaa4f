// train(): a network, rows and a scheme, with callbacks in Python.
#include "arrays.h"
#include "engine.h"
#include "hooks.h"
#include "module.h"
#include "processes.h"
#include "strata/core/errors.h"
#include "strata/trainers/scheme.h"

namespace bindings {

using namespace nb::literals;
using strata::TrainingResult;

namespace {

template <class Record>
nb::typed<nb::list, Dict> dicts(const std::vector<Record>& records) {
  nb::typed<nb::list, Dict> all;
  for (const Record& record : records) all.append(from_json(to_json(record)));
  return all;
}

struct Rows {
  Array2 x;
  Array2 y;
  std::optional<Array1> weights;
};

TrainingResult train_network(strata::Network& network, const Rows& rows,
                             const std::optional<Rows>& validation, std::size_t patience,
                             strata::Scheme scheme, strata::TrainOptions options, nb::object step,
                             nb::object sweep, const Processes& processes, std::size_t threads) {
  strata::Engine engine({.threads = threads, .processes = &processes.get()});
  warn_if_threads_are_missing(engine);
  options.engine = &engine;
  strata::Dataset data = dataset(rows.x, rows.y, rows.weights);
  strata::Dataset held_out;
  if (validation) {
    held_out = dataset(validation->x, validation->y, validation->weights);
    options.validation = {.data = &held_out, .patience = patience};
  }
  Hooks hooks(std::move(step), std::move(sweep));
  scheme.observers = hooks.observers();
  scheme.stopping.interrupt = [&hooks] { return hooks.interrupted(); };
  scheme.stopping.callback = [&hooks](const strata::SweepRecord&) { return hooks.stopped(); };
  TrainingResult result;
  {
    const nb::gil_scoped_release unlocked;
    share(data, processes.get());
    if (validation) share(held_out, processes.get());
    result = train(network, data, scheme, options);
  }
  hooks.raise_pending();
  return result;
}

}  // namespace

void add_training(nb::module_& module) {
  nb::class_<TrainingResult>(module, "TrainingResult", "Why a run ended, what it reached and what it cost.")
      .def_prop_ro("reason", [](const TrainingResult& self) { return std::string(to_string(self.reason)); })
      .def_ro("message", &TrainingResult::message)
      .def_ro("value", &TrainingResult::value, "The full objective at the best weights.")
      .def_ro("gradient_norm", &TrainingResult::gradient_norm)
      .def_ro("validation_loss", &TrainingResult::validation_loss)
      .def_ro("best_sweep", &TrainingResult::best_sweep)
      .def_ro("sweeps", &TrainingResult::sweeps)
      .def_ro("refused", &TrainingResult::refused)
      .def_ro("updates_per_layer", &TrainingResult::updates_per_layer)
      .def_ro("seconds", &TrainingResult::seconds, "Charged to the method.")
      .def_ro("elapsed_seconds", &TrainingResult::elapsed_seconds)
      .def_ro("processes", &TrainingResult::processes, "How many shared the rows.")
      .def_prop_ro(
          "history", [](const TrainingResult& self) { return dicts(self.history); }, "A dict for each sweep.")
      .def_prop_ro(
          "steps", [](const TrainingResult& self) { return dicts(self.steps); },
          "A dict for each step, where the scheme keeps them (reporting.steps).")
      .def("__repr__", &TrainingResult::brief);
  nb::class_<Rows>(module, "Rows")
      .def(
          "__init__",
          [](Rows* self, Array2 x, Array2 y, std::optional<Array1> weights) {
            new (self) Rows{std::move(x), std::move(y), std::move(weights)};
          },
          "x"_a, "y"_a, "weights"_a.none() = nb::none());
  module.def(
      "train",
      [](strata::Network& network, const Rows& rows, const strata::Scheme& scheme, double l2,
         std::uint64_t seed, std::size_t threads, const std::optional<Rows>& validation, std::size_t patience,
         nb::object step, nb::object sweep, const nb::object& comm) {
        return train_network(network, rows, validation, patience, scheme,
                             {.objective = {.l2 = l2}, .seed = seed}, std::move(step), std::move(sweep),
                             Processes(comm), threads);
      },
      "network"_a, "rows"_a, "scheme"_a, "l2"_a, "seed"_a, "threads"_a, "validation"_a.none(), "patience"_a,
      "step"_a.none(), "sweep"_a.none(), "comm"_a.none());
}

}  // namespace bindings
