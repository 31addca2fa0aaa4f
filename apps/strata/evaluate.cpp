// strata evaluate: how far a model's predictions are from the targets of a table.
#include <nlohmann/json.hpp>

#include "command.h"
#include "engine.h"
#include "exit_codes.h"
#include "output.h"
#include "report.h"
#include "rows.h"
#include "strata/model/metrics.h"
#include "strata/model/model.h"
#include "text_options.h"

namespace app {

namespace {

using Json = nlohmann::ordered_json;

std::string json_of(const strata::Metrics& metrics, const strata::Model& model) {
  const std::vector<std::string> classes = model.preprocessor.classes();
  Json json{{"rows", metrics.rows},
            {"task", classes.empty() ? "regression" : "classification"},
            {"loss", metrics.loss},
            {"targets", model.preprocessor.target_names()}};
  if (classes.empty()) json["mse"] = metrics.mse;
  for (const strata::Figure& figure : figures(metrics))
    json[std::string(figure.name)] = metrics.classes ? Json(figure.values.front()) : Json(figure.values);
  if (metrics.classes) {
    json["classes"] = classes;
    json["confusion"] = metrics.classes->confusion_rows();
  }
  return json.dump() + "\n";
}

int run_evaluate(const Settings& settings) {
  const strata::Model model = load_for_rows(settings);
  strata::Engine engine(engine_options(settings));
  say_if_threads_are_missing(engine);
  const strata::Metrics metrics = evaluate(model, read_rows(model, settings), engine);
  Output out;
  out.stream() << (settings.on("json") ? json_of(metrics, model)
                                       : error_table({{settings.text("DATA"), &metrics}}, model));
  out.commit();
  return done;
}

std::vector<OptionSpec> evaluate_options() {
  std::vector<OptionSpec> specs{
      {"json", "", "one JSON object; loss and mse are in scaled units, all else in the target's"},
      {"weight", "COLUMN", "column with the weight of each row, 0 or more (none: all count the same)"},
      query_option_spec()};
  const auto of_rows = new_rows_option_specs();
  specs.insert(specs.end(), of_rows.begin(), of_rows.end());
  return specs;
}

}  // namespace

Command evaluate_command() {
  return {.name = "evaluate",
          .summary = "Measure a model's errors on a table that has the target",
          .examples =
              "strata evaluate housing.strata.safetensors last-year.csv\n"
              "strata evaluate housing.strata.safetensors last-year.csv --json",
          .arguments = {{"MODEL", "a file written by strata train"},
                        {"DATA", "a table with inputs and target; -: standard input"}},
          .options = evaluate_options(),
          .run = run_evaluate};
}

}  // namespace app
