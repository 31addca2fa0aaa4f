// strata reproduce: the paper's numerical study.
#include <fmt/format.h>

#include <iostream>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "progress.h"
#include "signals.h"
#include "strata/core/errors.h"
#include "study/study.h"
#include "terminal.h"

namespace app {

namespace {

std::vector<strata::Configuration> configurations(const Settings& settings) {
  if (settings.has("study")) {
    if (settings.has("tables"))
      throw strata::InvalidOption("tables", settings.text("tables"),
                                  "cannot be combined with --study; give one of them");
    return {strata::read_configuration(settings.text("study"))};
  }
  std::vector<std::string> asked = settings.list("tables");
  if (asked.empty()) asked = {"1", "2", "3", "4", "5", "6", "7", "8"};
  std::vector<strata::Configuration> made;
  made.reserve(asked.size());
  for (const std::string& id : asked) made.push_back(strata::built_in_configuration(id));
  return made;
}

strata::StudyOptions study_options(const Settings& settings) {
  if (!settings.has("out"))
    throw strata::InvalidOption("out", "", "name the directory where the records go: --out runs");
  strata::StudyOptions options{.data = settings.text("data"),
                               .out = settings.text("out"),
                               .configurations = configurations(settings),
                               .datasets = settings.list("datasets"),
                               .networks = settings.list("networks"),
                               .runs = settings.whole("runs"),
                               .version = STRATA_VERSION};
  options.time_scale = settings.number("time-scale").value_or(options.time_scale);
  options.jobs = settings.whole("jobs").value_or(options.jobs);
  if (settings.has("threads")) options.threads = threads(settings);
  return options;
}

// One line for every run that starts; on a terminal in place.
class StudyLine {
 public:
  explicit StudyLine(bool quiet) : quiet_(quiet), terminal_(errors_are_seen()) {}

  void show(const strata::StudyProgress& progress) {
    if (quiet_ || progress.run == nullptr) return end();
    const strata::PlannedRun& run = *progress.run;
    std::cerr << (terminal_ ? "\r" : "")
              << fmt::format("{} of {} runs, about {} left: {} {} {} {} start {}", progress.finished,
                             progress.planned, duration(progress.seconds_left), run.variant->name, run.data,
                             run.network, run.method, run.seed)
              << (terminal_ ? "\033[K" : "\n") << std::flush;
    open_ = terminal_;
  }
  void end() {
    if (open_) std::cerr << "\r\033[K" << std::flush;
    open_ = false;
  }
  void say(const std::string& sentence) {
    end();
    if (!quiet_) std::cerr << paint(Paint::note, sentence) << '\n';
  }

 private:
  bool quiet_;
  bool terminal_;
  bool open_ = false;
};

int run_reproduce(const Settings& settings) {
  const strata::StudyOptions options = study_options(settings);
  StudyLine line(settings.on("quiet"));
  const PoliteInterrupts polite;
  const strata::StudyOutcome outcome =
      run_study(options, {.progress = [&](const strata::StudyProgress& progress) { line.show(progress); },
                          .interrupt = PoliteInterrupts::requested,
                          .say = [&](const std::string& sentence) { line.say(sentence); }});
  const std::string out = options.out.string();
  if (outcome.interrupted) {
    line.say(fmt::format("interrupted: {} of {} runs are recorded; run the same command to continue",
                         outcome.there + outcome.made, outcome.planned));
    return PoliteInterrupts::exit_code();
  }
  line.say(fmt::format("{} new runs, {} recorded before; strata tables {} shows them", outcome.made,
                       outcome.there, out));
  return done;
}

}  // namespace

Command reproduce_command() {
  return {
      .name = "reproduce",
      .summary = "Run the paper's numerical study, one record per run",
      .examples =
          "strata reproduce --data data/ --out runs --time-scale 0.05 --runs 3\n"
          "strata reproduce --data data/ --out runs --tables 6,7 --datasets ccpp,mv --networks 5x50\n"
          "strata reproduce --data data/ --out runs --time-scale 0.05 --tables curves",
      .arguments = {},
      .options = {{"data", "DIR", "directory of the public data files"},
                  {"out", "RUNS", "directory of the study; runs recorded there are not repeated"},
                  {"tables", "LIST", "1 to 8, curves (1 to 8)", "Options", true},
                  {"datasets", "LIST", "ailerons, mv, california, bike, beijing, ccpp, bank (all)", "Options",
                   true},
                  {"networks", "LIST", "1x50, 3x20, 200-50-200, 5x50, 10x50 (all)", "Options", true},
                  {"runs", "N", "starting points per cell (10; curves 1)"},
                  {"time-scale", "X", "factor of the paper's limits, 150 s (batch) and 60 s (minibatch) (1)"},
                  {"threads", "N",
                   "threads of one run; with 1, limits count processor seconds, otherwise wall time; 0 for "
                   "one per core (1)"},
                  {"jobs", "J", "runs at a time (1)"},
                  {"study", "FILE", "a study of your own: a TOML file like those in experiments/"},
                  {"quiet", "", "print nothing but errors"}},
      .run = run_reproduce,
      .notes =
          "Methods that are compared start from the same weights. The files of the data sets are named in\n"
          "docs/reproduce-the-paper.md. Ctrl-C drops the runs that are not finished and keeps the records; "
          "the\n"
          "same command continues the study."};
}

}  // namespace app
