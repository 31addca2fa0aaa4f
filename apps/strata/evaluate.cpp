// strata evaluate: how far a model's predictions are from the targets of a table.
#include <nlohmann/json.hpp>

#include "command.h"
#include "engine.h"
#include "exit_codes.h"
#include "output.h"
#include "report.h"
#include "strata/model/metrics.h"
#include "strata/model/model.h"

namespace app {

namespace {

std::string json_of(const strata::Metrics& metrics, const std::vector<std::string>& targets) {
  return nlohmann::ordered_json{{"rows", metrics.rows}, {"targets", targets}, {"mse", metrics.mse},
                                {"rmse", metrics.rmse}, {"mae", metrics.mae}, {"r2", metrics.r2}}
             .dump() +
         "\n";
}

int run(const Settings& settings) {
  const strata::Model model = strata::load_model(settings.text("MODEL"));
  strata::Engine engine(engine_options(settings));
  say_if_threads_are_missing(engine);
  const strata::Metrics metrics = evaluate_file(model, settings.text("DATA"), engine);
  const auto targets = model.preprocessor.target_names();
  Output out;
  out.stream() << (settings.on("json") ? json_of(metrics, targets)
                                       : error_table({{settings.text("DATA"), &metrics}}, targets));
  out.commit();
  return done;
}

}  // namespace

Command evaluate_command() {
  return {
      .name = "evaluate",
      .summary = "Measure a model's errors on a table that has the target",
      .examples =
          "strata evaluate housing.strata.safetensors last-year.csv\n"
          "strata evaluate housing.strata.safetensors last-year.csv --json",
      .arguments = {{"MODEL", "a file written by strata train"}, {"DATA", "a table with inputs and target"}},
      .options = {{"json", "", "one JSON object; mse is in scaled units, rmse, mae and r2 in the target's"}},
      .run = run};
}

}  // namespace app
