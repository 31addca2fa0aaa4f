// strata report: records of a study, the trace of a run, or a model on new rows, as one page for a browser.
#include <filesystem>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "rows.h"
#include "study/report.h"
#include "text_options.h"

namespace app {

namespace {

std::string page_of_model(const Settings& settings) {
  const strata::Model model = load_for_rows(settings, "RUNS");
  strata::Engine engine({.threads = 0});
  return strata::model_report(model, {.table = read_rows(model, settings), .name = settings.text("DATA")},
                              engine);
}

int run_report(const Settings& settings) {
  const std::string records = settings.text("RUNS");
  const std::string page = settings.has("DATA")                     ? page_of_model(settings)
                           : std::filesystem::is_directory(records) ? strata::study_report(records)
                                                                    : strata::trace_report(records);
  Output out = Output::to(settings.text("out", "report.html"));
  out.stream() << page;
  out.commit();
  return done;
}

std::vector<OptionSpec> report_options() {
  std::vector<OptionSpec> specs{{.name = "out",
                                 .value = "FILE",
                                 .help = "output file, or - for standard output (report.html)",
                                 .letter = 'o'},
                                query_option_spec()};
  const auto of_rows = new_rows_option_specs();
  specs.insert(specs.end(), of_rows.begin(), of_rows.end());
  return specs;
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
      .options = report_options(),
      .run = run_report,
      .notes = "The page is self-contained: it opens offline, without other files."};
}

}  // namespace app
