// strata predict: raw rows in, predictions out.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "strata/core/errors.h"
#include "strata/model/model.h"
#include "strata/model/predict.h"

namespace app {

namespace {

std::ifstream open_rows(const std::string& file) {
  if (std::filesystem::is_directory(file))
    throw strata::DataError({file}, "this is a directory; name a file in it");
  const std::string kind = std::filesystem::path(file).extension();
  if (kind == ".gz")
    throw strata::DataError({file}, "predict reads plain CSV; unpack it: zcat FILE | strata predict MODEL -");
  if (kind == ".arff" || kind == ".dat")
    throw strata::DataError({file}, "predict reads CSV; write the rows as CSV with a line of column names");
  std::ifstream rows(file, std::ios::binary);
  if (!rows) throw strata::DataError({file}, "the file cannot be opened; check its name and permissions");
  return rows;
}

int run(const Settings& settings) {
  const strata::Model model = strata::load_model(settings.text("MODEL"));
  const std::string data = settings.text("DATA", "-");
  const strata::PredictOptions options{.threads = threads(settings)};
  std::ifstream file;
  if (data != "-") file = open_rows(data);
  std::istream& rows = data == "-" ? std::cin : file;
  Output out = Output::to(settings.text("out"));
  try {
    predict_csv(model, rows, data == "-" ? "standard input" : data, out.stream(), options);
  } catch (const strata::Error&) {
    out.check();  // a reader that has gone is no news
    throw;
  }
  out.commit();
  return done;
}

}  // namespace

Command predict_command() {
  return {
      .name = "predict",
      .summary = "Predict the target of new rows, in its own units",
      .examples =
          "strata predict housing.strata.safetensors new.csv --out prices.csv\n"
          "zcat new.csv.gz | strata predict housing.strata.safetensors - | head",
      .arguments = {{"MODEL", "a file written by strata train"},
                    {"DATA",
                     "rows as CSV with the model's input columns, in any order; - or nothing: standard input",
                     false}},
      .options = {{"out", "FILE", "where the predictions go (standard output)"},
                  {"threads", "N", "0: one per core (0)"}},
      .run = run,
      .notes = "Rows are read and written piece by piece: memory does not grow with the file."};
}

}  // namespace app
