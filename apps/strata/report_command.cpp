// strata report: records of a study, or the trace of a run, as one page for a browser.
#include <filesystem>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "study/report.h"

namespace app {

namespace {

int run(const Settings& settings) {
  const std::string records = settings.text("RUNS");
  const std::string page =
      std::filesystem::is_directory(records) ? strata::study_report(records) : strata::trace_report(records);
  Output out = Output::to(settings.text("out", "report.html"));
  out.stream() << page;
  out.commit();
  return done;
}

}  // namespace

Command report_command() {
  return {
      .name = "report",
      .summary = "Show the runs of a study, or the trace of one run, as a page with tables and charts",
      .examples =
          "strata report runs/ -o report.html\n"
          "strata train housing.csv --target price --trace trace.jsonl && strata report trace.jsonl",
      .arguments = {{"RUNS",
                     "a directory written by strata reproduce, or a file written by strata train --trace"}},
      .options = {{.name = "out",
                   .value = "FILE",
                   .help = "output file, or - for standard output (report.html)",
                   .letter = 'o'}},
      .run = run,
      .notes = "The page is self-contained: it opens offline, without other files."};
}

}  // namespace app
