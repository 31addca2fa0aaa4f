// strata data: the paper's sets, encoded, as CSV.
#include <fmt/format.h>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "strata/core/errors.h"
#include "strata/data/write.h"
#include "strata/model/fit.h"
#include "study/protocol.h"

namespace app {

namespace {

std::string checked(const std::string& name, const std::string& directory) {
  const strata::FitData set = strata::load_protocol(name, directory);  // refuses a wrong checksum or count
  return fmt::format("{:<12} {}: checksum and counts are right; {} training rows, {} test rows, {} inputs\n",
                     name, strata::protocol_file(name).string(), set.train.rows, set.test->rows,
                     set.train.features());
}

void write_set(std::ostream& out, const strata::FitData& set, const std::string& part) {
  if (part != "train" && part != "test" && part != "all")
    throw strata::InvalidOption("part", part, "use train, test or all");
  std::vector<std::string> names = set.preprocessor.feature_names();
  for (const std::string& target : set.preprocessor.target_names()) names.push_back(target);
  strata::write_csv_header(out, names);
  if (part != "test") strata::write_csv_rows(out, set.train);
  if (part != "train") strata::write_csv_rows(out, *set.test);
}

int run_data(const Settings& settings) {
  if (!settings.has("raw"))
    throw strata::InvalidOption("raw", "",
                                "name the directory that holds the files of the paper's data sets");
  const std::string name = settings.text("NAME");
  const std::string directory = settings.text("raw");
  Output out = Output::to(settings.text("out"));
  if (settings.on("check")) {
    for (const std::string& each : name == "all" ? strata::protocol_names() : std::vector<std::string>{name})
      out.stream() << checked(each, directory) << std::flush;
  } else {
    write_set(out.stream(), strata::load_protocol(name, directory), settings.text("part", "all"));
  }
  out.commit();
  return done;
}

}  // namespace

Command data_command() {
  return {
      .name = "data",
      .summary = "Write one of the paper's data sets, encoded and scaled, as CSV, or check its file",
      .examples =
          "strata data california --raw data/ --out california.csv\n"
          "strata data all --raw data/ --check",
      .arguments = {{"NAME", "ailerons, mv, california, bike, beijing, ccpp or bank; with --check also all"}},
      .options = {{"raw", "DIR", "directory of the public data files"},
                  {"check", "", "verify checksum and counts instead of writing"},
                  {"part", "PART", "train, test or all: training rows first (all)"},
                  {.name = "out", .value = "FILE", .help = "output file (standard output)", .letter = 'o'}},
      .run = run_data};
}

}  // namespace app
