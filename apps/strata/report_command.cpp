// strata report: records of a study, the trace of a run, or a model on new rows, as one page for a browser.
#include <filesystem>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "strata/data/read.h"
#include "study/report.h"

namespace app {

namespace {

std::string page_of_model(const std::string& file, const std::string& data) {
  const strata::Model model = strata::load_model(file);
  strata::Engine engine({.threads = 0});
  return strata::model_report(model, strata::read_table(data, model.preprocessor.read_options(true)), data,
                              engine);
}

int run(const Settings& settings) {
  const std::string records = settings.text("RUNS");
  const std::string page = settings.has("DATA") ? page_of_model(records, settings.text("DATA"))
                           : std::filesystem::is_directory(records) ? strata::study_report(records)
                                                                    : strata::trace_report(records);
  Output out = Output::to(settings.text("out", "report.html"));
  out.stream() << page;
  out.commit();
  return done;
}

}  // namespace

Command report_command() {
  return {
      .name = "report",
      .summary =
          "Show a model on new rows, the trace of one run or the runs of a study, as a page with tables and "
          "charts",
      .examples =
          "strata report housing.strata.safetensors new.csv\n"
          "strata report runs/ -o report.html\n"
          "strata train housing.csv --target price --trace trace.jsonl && strata report trace.jsonl",
      .arguments =
          {{"RUNS",
            "a model; or a file written by strata train --trace, or a directory written by strata reproduce"},
           {"DATA", "with a model: a table with inputs and target that did not train", false}},
      .options = {{.name = "out",
                   .value = "FILE",
                   .help = "output file, or - for standard output (report.html)",
                   .letter = 'o'}},
      .run = run,
      .notes = "The page is self-contained: it opens offline, without other files."};
}

}  // namespace app
