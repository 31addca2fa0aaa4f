// strata train: from a file to a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "checkpoint.h"
#include "config.h"
#include "engine.h"
#include "exit_codes.h"
#include "output.h"
#include "plot.h"
#include "progress.h"
#include "report.h"
#include "rows.h"
#include "side_files.h"
#include "signals.h"
#include "strata/core/clock.h"
#include "strata/core/errors.h"
#include "strata/data/shared_rows.h"
#include "strata/data/shared_table.h"
#include "strata/model/fit.h"
#include "strata/model/model.h"
#include "strata/parallel/collective.h"
#include "strata/trainers/validation.h"
#include "study/protocol.h"
#include "terminal.h"
#include "text_options.h"
#include "train_options.h"
#include "training_report.h"

namespace app {

namespace {

namespace fs = std::filesystem;

// housing.csv.gz -> housing.strata.safetensors, beside it; of standard input, model.strata.safetensors here.
fs::path default_model(const std::string& data) {
  fs::path path = data == "-" ? "model" : data;
  if (path.extension() == ".gz") path.replace_extension();
  return path.replace_extension(".strata.safetensors");
}

// A set of the paper is read by every process, which keeps its part of the rows.
strata::FitData read_protocol(const Settings& settings, const strata::FitOptions& options,
                              strata::Communicator& processes) {
  strata::FitData data = strata::load_protocol(settings.text("DATA"), settings.text("raw"));
  if (!processes.alone()) {
    data.train = share_rows(data.train, processes);
    data.test = share_rows(*data.test, processes);
  }
  if (options.validation.none()) return data;
  strata::HeldOut parts = hold_out(data.train, options.validation.fraction, options.seed, processes);
  data.train = std::move(parts.training);
  data.validation = std::move(parts.validation);
  return data;
}

// A table is held together with what is made of it, so a file may take half of the memory, and stays on the disk where it takes
// more. What is no file cannot.
std::size_t memory_for_table(const std::string& data, strata::Engine& engine) {
  std::error_code none;
  return std::max<std::size_t>(1, engine.memory().bytes() / (fs::is_regular_file(data, none) ? 2 : 1));
}

strata::Table read_own_table(const Settings& settings, const strata::FitOptions& options,
                             strata::Engine& engine) {
  strata::Communicator& processes = engine.processes();
  const strata::ReadOptions reading{.style = text_style(settings),
                                    .numeric = options.preprocess.numeric,
                                    .nominal = options.preprocess.categorical,
                                    .memory = memory_for_table(settings.text("DATA"), engine),
                                    .threads = engine.threads().threads()};
  strata::Table table = processes.alone()
                            ? open_rows(settings, reading)->read_all()
                            : strata::read_shared_table(settings.text("DATA"), reading, processes);
  if (settings.has("weight")) take_weights(table, settings.text("weight"));
  if (settings.has("sql")) table.style = reading.style;  // of the files that the model may meet
  return table;
}

// The table is kept where a report will show some of its rows.
strata::FitData read_data(const Settings& settings, const strata::FitOptions& options, strata::Engine& engine,
                          std::optional<strata::Table>& kept) {
  if (is_paper_protocol(settings)) return read_protocol(settings, options, engine.processes());
  strata::Table table = read_own_table(settings, options, engine);
  strata::FitData data = strata::prepare({table, engine.processes()}, options);
  if (settings.has("report")) kept = std::move(table);
  return data;
}

// Large tables and those that come from elsewhere may take seconds before training can say anything.
void announce_reading(const Settings& settings, const Progress& progress) {
  const std::string data = settings.text("DATA");
  constexpr std::uintmax_t large = 32U << 20U;  // bytes, read in about a second
  std::error_code none;
  if (data == "-")
    progress.say("reading standard input");
  else if (settings.has("sql"))
    progress.say(fmt::format("reading the rows of a query on {}", data));
  else if (const std::uintmax_t size = fs::file_size(data, none); !none && size >= large)
    progress.say(fmt::format("reading {}, {} MB", data, size >> 20U));
}

// The limit counts from the start of the command: what reading took is gone. All processes go by the first.
void charge_reading(strata::Limits& limits, double seconds, strata::Communicator& processes) {
  if (limits.seconds)
    limits.seconds = std::max(1e-3, *limits.seconds - strata::broadcast_value(processes, seconds));
}

strata::Clock clock(const Settings& settings) {
  const std::string name = settings.text("clock", "wall");
  if (name == "wall") return strata::steady_clock();
  if (name == "processor") return strata::processor_clock();
  throw strata::InvalidOption("clock", name, "use wall or processor");
}

std::string json_of(const strata::FitResult& result, const std::string& data, const fs::path& model,
                    const std::vector<std::string>& notices) {
  const auto written = [](const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  const std::string record = to_json(result);  // {...}
  return fmt::format("{{\"data\":{},{},\"notices\":{},\"model\":{}}}\n", written(data),
                     record.substr(1, record.size() - 2), written(notices), written(model.string()));
}

// Where a resumed run goes on writing: beside the checkpoint that the command line names, whatever is in it.
void set_outputs_beside(Settings& settings, const std::string& checkpoint) {
  if (!settings.has("checkpoint")) settings.set("checkpoint", {checkpoint});
  if (!settings.has("model"))
    settings.set("model", {fs::path(checkpoint).replace_extension(".strata.safetensors").string()});
}

// Command line first, then the configuration file, then what the run was told that is resumed.
Settings complete(Settings settings, std::optional<Checkpoint>& resumed) {
  if (settings.has("config")) settings.add_missing(read_config(settings.text("config"), train_command()));
  if (settings.has("resume")) {
    resumed = load_checkpoint(settings.text("resume"));
    settings.add_missing(resumed->settings);
    set_outputs_beside(settings, settings.text("resume"));
  }
  if (!settings.has("DATA"))
    throw strata::InvalidOption("DATA", "",
                                "name the file to train on: strata train housing.csv --target price");
  if (settings.has("checkpoint-every") && !settings.has("checkpoint"))
    throw strata::InvalidOption("checkpoint-every", settings.text("checkpoint-every"),
                                "is of use only with --checkpoint");
  settings.remove("config");
  settings.remove("resume");
  return settings;
}

// All processes have the same state; the first writes it.
strata::Checkpoints checkpoints(const Settings& settings, const std::optional<Checkpoint>& resumed,
                                SideFiles& files, bool writes) {
  strata::Checkpoints made{.resume = resumed ? &resumed->state : nullptr};
  if (!settings.has("checkpoint")) return made;
  const std::string file = settings.text("checkpoint");
  if (writes) require_writable(file);
  made.every_seconds = settings.seconds("checkpoint-every").value_or(30);
  made.save = [&settings, &files, file, writes](const strata::State& state) {
    if (writes) files.attempt(file, [&] { save_checkpoint(file, settings, state); });
  };
  return made;
}

void write_results(const Settings& settings, const strata::FitResult& result, const fs::path& model,
                   const std::vector<std::string>& notices) {
  Output results;
  if (settings.on("json"))
    results.stream() << json_of(result, settings.text("DATA"), model, notices);
  else if (!settings.on("quiet"))
    results.stream() << (results_are_seen() ? loss_plot(result.members) : "")
                     << summary(result, model.string());
  results.commit();
}

std::string farewell(const Settings& settings, const SideFiles& files) {
  if (!settings.has("checkpoint") || files.lost(settings.text("checkpoint")))
    return "interrupted: the best model so far is saved";
  return fmt::format(
      "interrupted: the best model so far and a checkpoint are saved; strata train --resume {} continues",
      settings.text("checkpoint"));
}

void check_report(const Settings& settings, const strata::Communicator& processes) {
  if (!settings.has("report")) return;
  const std::string file = settings.text("report");
  if (is_paper_protocol(settings) || !processes.alone())
    throw strata::InvalidOption(
        "report", file,
        "it shows a table that one process reads; make the page of a model by strata report MODEL DATA");
  require_writable(file);
}

void check_query_of_run(const Settings& settings, const strata::Communicator& processes) {
  if (!settings.has("sql")) return;
  if (is_paper_protocol(settings) || !processes.alone())
    throw strata::InvalidOption(
        "sql", settings.text("sql"),
        "one process reads the rows of a query; write them to a file first: sqlite3 -csv -header");
  check_query(settings);
}

int run_together(const Settings& given, strata::Communicator& processes) {
  const bool first = processes.rank() == 0;  // shows progress and writes the results
  std::optional<Checkpoint> resumed;
  const Settings settings = complete(given, resumed);
  strata::FitOptions options = fit_options(settings);
  if (!processes.alone() && !settings.has("members")) {  // all that several can do
    options.members = 1;
    options.interactions = 0;
  }
  const fs::path model = settings.text("model", default_model(settings.text("DATA")).string());
  if (first) require_writable(model);
  check_report(settings, processes);
  check_query_of_run(settings, processes);
  Progress progress(settings.on("quiet") || !first);
  SideFiles files(progress);
  strata::Engine engine(engine_options(settings, processes));
  if (first) say_if_threads_are_missing(engine);
  strata::FitHooks hooks{.interrupt = PoliteInterrupts::requested,
                         .checkpoints = checkpoints(settings, resumed, files, first),
                         .clock = clock(settings),
                         .engine = &engine};
  const double begun = hooks.clock();
  announce_reading(settings, progress);
  std::optional<strata::Table> table;
  strata::FitData data = read_data(settings, options, engine, table);
  charge_reading(options.limits, hooks.clock() - begun, processes);

  std::optional<Logs> logs;
  if (first) logs.emplace(settings, files).attach(hooks, settings.text("DATA"));
  const std::vector<std::string> notices = data.notices;
  for (const std::string& notice : notices) progress.say(notice);
  progress.attach(hooks);
  const PoliteInterrupts polite;
  const strata::FitResult result = fit(std::move(data), options, hooks);
  progress.end();
  if (!std::isfinite(result.training.value))
    throw strata::Error(
        "training met no finite objective, so there is no model; try another scale, method or rate");
  if (!first) return PoliteInterrupts::exit_code();
  save_model(model, result.model);
  logs->finish(result);
  if (settings.has("report"))
    files.attempt(settings.text("report"), [&] {
      Output page(fs::path(settings.text("report")));
      page.stream() << training_report(*table, settings.text("DATA"), options, result, engine);
      page.commit();
    });
  if (PoliteInterrupts::requested()) progress.say(farewell(settings, files));
  write_results(settings, result, model, notices);
  return files.any_lost() ? failed : PoliteInterrupts::exit_code();
}

int run_train(const Settings& given) { return run_together(given, strata::single_process()); }

}  // namespace

Command train_command() {
  return {
      .name = "train",
      .summary = "Train a network on a table and save it as a model",
      .examples =
          "strata train housing.csv --target price\n"
          "strata train housing.csv --target price --test 0.2 --hidden 30,30 --method adam --rate 0.01\n"
          "strata train bank.csv --target y --class-weight balanced --test 0.2\n"
          "strata train rentals.csv --target count --loss poisson\n"
          "strata train houses.db --sql 'select * from houses' --target price --report page.html\n"
          "strata train housing.csv --config run.toml --time-limit 5m --model houses.safetensors\n"
          "strata train housing.csv --target price --checkpoint run.ckpt && strata train --resume run.ckpt\n"
          "strata train california --protocol paper --raw data/ --hidden 50,50,50,50,50 --method bling "
          "--epochs 250 --json",
      .arguments = {{"DATA",
                     "the table: .csv, .tsv, .txt, .data, .arff or .dat (KEEL), also .gz; -: standard input; "
                     "with --protocol the name of a set",
                     false}},
      .options = train_option_specs(),
      .run = run_train,
      .notes =
          "Without --model, the model is saved next to the data: housing.csv gives "
          "housing.strata.safetensors; with --resume next to the checkpoint: run.ckpt gives "
          "run.strata.safetensors.\n"
          "Ctrl-C ends a run early and saves the best model so far; a second Ctrl-C quits at once.",
      .run_together = run_together};
}

}  // namespace app
