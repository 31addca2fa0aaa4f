// strata predict: raw rows in, predictions out.
#include "strata/model/predict.h"
#include "command.h"
#include "engine.h"
#include "exit_codes.h"
#include "output.h"
#include "rows.h"
#include "strata/core/errors.h"
#include "strata/model/model.h"
#include "text_options.h"

namespace app {

namespace {

int run_predict(const Settings& settings) {
  const strata::Model model = strata::load_model(settings.text("MODEL"));
  strata::Engine engine(engine_options(settings));
  say_if_threads_are_missing(engine);
  if (settings.on("allow-empty") && !settings.number("interval"))
    throw strata::InvalidOption("allow-empty", "",
                                "it is for sets of labels; give both: --interval 0.9 --allow-empty");
  const strata::PredictOptions options{.engine = &engine,
                                       .classes = {.probabilities = settings.on("proba"),
                                                   .threshold = settings.number("threshold"),
                                                   .empty_sets = settings.on("allow-empty")},
                                       .rows = new_rows(settings),
                                       .coverage = settings.number("interval"),
                                       .keep = settings.list("keep"),
                                       .spread = settings.on("spread")};
  Output out = Output::to(settings.text("out"));
  try {
    predict_rows(model, *open_rows(settings, reading_of(model, options)), out.stream(), options);
  } catch (const strata::Error&) {
    out.check();  // a reader that has gone is no news
    throw;
  }
  out.commit();
  return done;
}

std::vector<OptionSpec> predict_options() {
  std::vector<OptionSpec> specs{
      {.name = "out", .value = "FILE", .help = "where the predictions go (standard output)", .letter = 'o'},
      {.name = "keep",
       .value = "NAMES",
       .help = "columns of DATA to write before the predictions, with commas between their names",
       .adds = true},
      query_option_spec(),
      {"proba", "", "classification: the probability of each class instead of the label"},
      {"threshold", "P", "two classes: the second where its probability is at least P (0.5)"},
      {"spread", "",
       "a further column for each, NAME_std: the standard deviation over the members of the model"},
      {"interval", "P",
       "also bounds that hold the truth for the share P of rows, or the set of labels that does; the model "
       "needs validation rows"},
      {"allow-empty", "",
       "classification: sets of --interval may have no label, so that they hold the truth as often as asked "
       "and not more"},
      {"threads", "N", "0: one per core (0)"}};
  const auto of_rows = new_rows_option_specs();
  specs.insert(specs.end(), of_rows.begin(), of_rows.end());
  return specs;
}

}  // namespace

Command predict_command() {
  return {.name = "predict",
          .summary = "Predict the target of new rows: labels, or numbers in the target's units",
          .examples =
              "strata predict housing.strata.safetensors new.csv --keep id --out prices.csv\n"
              "grep -v draft new.csv | strata predict housing.strata.safetensors - | head",
          .arguments = {{"MODEL", "a file written by strata train"},
                        {"DATA",
                         "a file as for train, with the model's input columns in any order; - or no name: "
                         "standard input",
                         false}},
          .options = predict_options(),
          .run = run_predict,
          .notes = "Rows are read and written piece by piece: memory does not grow with the file."};
}

}  // namespace app
