// strata importance: which inputs a model's predictions depend on.
#include "strata/model/importance.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "engine.h"
#include "exit_codes.h"
#include "output.h"
#include "rows.h"
#include "strata/core/printable.h"
#include "terminal.h"
#include "text_options.h"

namespace app {

namespace {

using Json = nlohmann::ordered_json;

std::string json_of(const strata::Importances& found) {
  Json inputs = Json::array();
  for (const strata::Importance& input : found.inputs)
    inputs.push_back({{"input", input.input}, {"increase", input.increase}, {"spread", input.spread}});
  return Json{{"error", found.error}, {"value", found.value}, {"rows", found.rows}, {"inputs", inputs}}
             .dump() +
         "\n";
}

std::string table_of(const strata::Importances& found) {
  std::string out =
      paint_result(Paint::heading, fmt::format("{:<32} {:>14} {:>12}", "input", "increase", "spread")) + "\n";
  for (const strata::Importance& input : found.inputs)
    out += fmt::format("{:<32} {:>14.5g} {:>12.3g}\n", strata::printable(input.input), input.increase,
                       input.spread);
  return out + fmt::format("increase of the {} from {:.5g} on {} rows when an input's values are shuffled\n",
                           found.error, found.value, found.rows);
}

int run_importance(const Settings& settings) {
  const strata::Model model = load_for_rows(settings);
  strata::Engine engine(engine_options(settings));
  say_if_threads_are_missing(engine);
  const strata::Table table = read_rows(model, settings);
  strata::ImportanceOptions options;
  options.repeats = settings.whole("repeats").value_or(options.repeats);
  options.seed = settings.whole("seed").value_or(options.seed);
  const strata::Importances found = permutation_importance(model, table, options, engine);
  Output out;
  out.stream() << (settings.on("json") ? json_of(found) : table_of(found));
  out.commit();
  return done;
}

std::vector<OptionSpec> importance_options() {
  std::vector<OptionSpec> specs{{"json", "", "one JSON object"},
                                {"repeats", "N", "shuffles of each input (5)"},
                                {"seed", "N", "of the shuffles (1)"},
                                {"threads", "N", "0: one per core (0)"},
                                query_option_spec()};
  const auto of_rows = new_rows_option_specs();
  specs.insert(specs.end(), of_rows.begin(), of_rows.end());
  return specs;
}

}  // namespace

Command importance_command() {
  return {.name = "importance",
          .summary = "Show how much each input matters to a model, by shuffling its values",
          .examples = "strata importance housing.strata.safetensors new.csv",
          .arguments = {{"MODEL", "a file written by strata train"},
                        {"DATA", "a table with inputs and target that did not train; -: standard input"}},
          .options = importance_options(),
          .run = run_importance,
          .notes =
              "The error is the RMSE, the deviance of counts or the log-loss of classes. Of more than 10,000 "
              "rows, so many are drawn."};
}

}  // namespace app
