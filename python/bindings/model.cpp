// Models: files and bytes, predictions.
#include "strata/model/model.h"

#include <nanobind/stl/filesystem.h>

#include <algorithm>
#include <optional>

#include "arrays.h"
#include "engine.h"
#include "module.h"
#include "strata/export/c_source.h"
#include "strata/export/onnx.h"
#include "strata/model/interval.h"
#include "strata/model/predict.h"

namespace bindings {

using namespace nb::literals;
using strata::Model;

namespace {

strata::Predicted predicted_from(const std::string& name) {
  if (name == "scores") return strata::Predicted::scores;
  if (name == "for_intervals") return strata::Predicted::for_intervals;
  return name == "with_spread" ? strata::Predicted::with_spread : strata::Predicted::response;
}

template <class Rows>
Result2 predictions(const Model& model, const Rows& rows, std::size_t count, std::size_t threads,
                    const std::string& name) {
  const strata::Predicted what = predicted_from(name);
  const std::size_t outputs = predicted_columns(model, what);
  strata::Vector out(count * outputs);
  // A row takes less time than making an engine.
  std::optional<strata::Engine> own;
  if (const std::size_t most = std::min(threads, strata::prediction_tasks(count)); most > 1)
    own.emplace(strata::EngineOptions{.threads = most});
  strata::Engine& engine = own ? *own : strata::serial_engine();
  warn_if_threads_are_missing(engine);
  {
    const nb::gil_scoped_release unlocked;
    predict(model, rows, {out.data(), count, outputs}, engine, what);
  }
  return to_array(std::move(out), count, outputs);
}

nb::bytes as_bytes(const std::string& bytes) { return nb::bytes(bytes.data(), bytes.size()); }
nb::bytes bytes_of(const Model& model) { return as_bytes(model_bytes(model)); }

}  // namespace

void add_model(nb::module_& module) {
  nb::class_<Model>(module, "Model", "A trained network with all that turns raw rows into predictions.")
      .def(
          "save", [](const Model& self, const std::filesystem::path& path) { save_model(path, self); },
          "path"_a, "Writes the file that the command line reads; all of it or nothing.")
      .def("to_bytes", &bytes_of, "What save would write.")
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            return strata::parse_model({bytes.c_str(), bytes.size()}, "model");
          },
          "bytes"_a)
      .def(
          "to_onnx", [](const Model& self) { return as_bytes(onnx_bytes(self)); }, "An ONNX graph.")
      .def(
          "write_onnx", [](const Model& self, const std::filesystem::path& path) { export_onnx(self, path); },
          "path"_a)
      .def(
          "write_c", [](const Model& self, const std::filesystem::path& path) { export_c(self, path); },
          "path"_a, "Writes path.h and path.c.")
      .def("__getstate__", &bytes_of)
      .def("__setstate__",
           [](Model& self, const nb::bytes& bytes) {
             new (&self) Model(strata::parse_model({bytes.c_str(), bytes.size()}, "model"));
           })
      .def(
          "__deepcopy__", [](const Model& self, nb::handle /*memo*/) { return Model(self); }, "memo"_a)
      .def(
          "predict_numbers",
          [](const Model& self, const Array2& x, std::size_t threads, const std::string& what) {
            return predictions(self, view(x), x.shape(0), threads, what);
          },
          "x"_a, "threads"_a, "what"_a = "response",
          "A column for each target, class or level. what: response; scores, the log-odds of classes; "
          "with_spread, further columns with the standard deviations over the members; or for_intervals, "
          "what interval takes.")
      .def(
          "predict_table",
          [](const Model& self, const strata::Table& table, std::size_t threads, const std::string& what) {
            return predictions(self, table, table.rows(), threads, what);
          },
          "table"_a, "threads"_a, "what"_a = "response")
      .def(
          "interval",
          [](const Model& self, const Array2& predictions, double coverage, bool allow_empty) {
            const strata::IntervalRule rule(self, coverage, allow_empty);
            if (predictions.shape(1) != predicted_columns(self, strata::Predicted::for_intervals))
              throw strata::InvalidOption("predictions", std::to_string(predictions.shape(1)) + " columns",
                                          "use those of this model, for_intervals");
            strata::Vector out(predictions.shape(0) * rule.columns());
            const auto rows = view(predictions);
            for (std::size_t row = 0; row < rows.rows(); ++row)
              rule.apply(rows.row(row), std::span(out).subspan(row * rule.columns(), rule.columns()));
            return to_array(std::move(out), predictions.shape(0), rule.columns());
          },
          "predictions"_a, "coverage"_a, "allow_empty"_a = false,
          "From predictions for_intervals: low and high for each target, or 1 for every class of the set, 0 "
          "for others.")
      .def_prop_ro(
          "networks", [](const Model& self) { return self.networks; }, "Copies, one for each member.")
      .def_prop_ro("input_names", [](const Model& self) { return self.preprocessor.input_names(); })
      .def_prop_ro("feature_names", [](const Model& self) { return self.preprocessor.feature_names(); })
      .def_prop_ro("target_names", [](const Model& self) { return self.preprocessor.target_names(); })
      .def_prop_ro("predicted_names", &strata::predicted_names, "Of the columns of predictions.")
      .def_prop_ro(
          "classes", [](const Model& self) { return self.preprocessor.classes(); },
          "Labels of a classification; empty for a regression.")
      .def_prop_ro("temperature", [](const Model& self) { return self.temperature; })
      .def_prop_ro(
          "levels",
          [](const Model& self) {
            return self.loss.name == "quantile" ? self.loss.options.levels : std::vector<double>{};
          },
          "Of quantiles; empty for other losses.")
      .def_prop_ro(
          "takes_numbers", [](const Model& self) { return self.preprocessor.takes_numbers(); },
          "True when every input is a number that is only scaled.")
      .def_prop_ro("training", [](const Model& self) { return from_json(self.training); })
      .def("inspect", [](const Model& self) { return from_json(inspect_json(self)); })
      .def("__repr__", [](const Model& self) {
        const std::size_t members = self.networks.size();
        return "<strata.Model " + (members > 1 ? std::to_string(members) + " members of " : "") +
               self.architecture().brief() + ">";
      });
  module.def("load_model", &strata::load_model, "path"_a);
}

}  // namespace bindings
