#include "study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "strata/core/clock.h"
#include "strata/core/errors.h"
#include "strata/core/suggestion.h"
#include "strata/core/write_file.h"
#include "strata/parallel/thread_pool.h"
#include "study/datasets.h"
#include "study/protocol.h"
#include "study/run_log.h"
#include "study/run_record.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

// --- What is asked for

bool wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// A name that no configuration has would silently select nothing.
void require_known(std::string_view option, const std::vector<std::string>& asked,
                   const std::vector<Configuration>& configurations,
                   std::vector<std::string> Configuration::*names) {
  std::vector<std::string> known;
  for (const Configuration& configuration : configurations)
    for (const std::string& name : configuration.*names)
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  for (const std::string& name : asked)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InvalidOption(option, name, "the tables asked for have no such name" + suggestion(name, known));
}

void check(const StudyOptions& options) {
  if (!(options.time_scale > 0))
    throw InvalidOption("time-scale", fmt::format("{}", options.time_scale), "use a number above 0");
  if (options.runs && (*options.runs == 0 || *options.runs > largest_run_count))
    throw InvalidOption("runs", fmt::format("{}", *options.runs), "use a number from 1 to 1000");
  constexpr std::size_t most_jobs = 256;
  if (options.jobs == 0 || options.jobs > most_jobs)
    throw InvalidOption("jobs", fmt::format("{}", options.jobs), "use a number from 1 to 256");
  require_known("datasets", options.datasets, options.configurations, &Configuration::datasets);
  require_known("networks", options.networks, options.configurations, &Configuration::networks);
}

std::size_t runs_of(const StudyOptions& options, const Configuration& configuration) {
  return options.runs.value_or(configuration.runs);
}

std::size_t run_count(const StudyOptions& options) {
  std::size_t most = 0;
  for (const Configuration& configuration : options.configurations)
    most = std::max(most, runs_of(options, configuration));
  return most;
}

// Calls for every run of one configuration with one start.
template <class Visit>
void for_each_run(const StudyOptions& options, const Configuration& configuration, std::uint64_t seed,
                  const Visit& visit) {
  for (const StudyVariant& variant : configuration.variants)
    for (const std::string& data : configuration.datasets)
      for (const std::string& network : configuration.networks)
        for (const std::string& method : variant.methods)
          if (wanted(options.datasets, data) && wanted(options.networks, network))
            visit(PlannedRun{&variant, data, network, method, seed,
                             configuration.limit_of(method) * options.time_scale});
}

// --- How it is made

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.find(':') + 2, line.size()));
  return "unknown";
}

StudyInfo describe(const StudyOptions& options) {
#ifdef __clang__
  constexpr const char* compiler = "clang++ " __VERSION__;
#else
  constexpr const char* compiler = "g++ " __VERSION__;
#endif
  std::vector<std::string> titles;
  for (const Configuration& configuration : options.configurations) titles.push_back(configuration.title);
  return {.version = options.version,
          .time_scale = options.time_scale,
          .runs = run_count(options),
          .threads = options.threads,
          .jobs = options.jobs,
          .cpu = cpu_name(),
          .cores = std::thread::hardware_concurrency(),
          .compiler = compiler,
          .clock = options.threads == 1 ? "processor seconds of the run's thread" : "wall",
          .titles = std::move(titles)};
}

// Runs of different time scales, or clocks, do not belong in one table.
void require_same_study(const StudyInfo& before, const StudyInfo& now, const fs::path& directory) {
  const auto same = [&](std::string_view option, auto was, auto is) {
    if (was != is)
      throw InvalidOption(
          option, fmt::format("{}", is),
          fmt::format("the study in {} has {}; use that or another directory", directory.string(), was));
  };
  same("time-scale", before.time_scale, now.time_scale);
  same("threads", before.threads, now.threads);
}

void write_study(const StudyOptions& options) {
  StudyInfo study = describe(options);
  const fs::path path = options.out / study_file;
  if (fs::exists(path)) {
    const StudyInfo before = read_study(options.out);
    require_same_study(before, study, options.out);
    study.runs = std::max(study.runs, before.runs);
    std::vector<std::string> titles = before.titles;
    for (const std::string& title : study.titles)
      if (std::ranges::find(titles, title) == titles.end()) titles.push_back(title);
    study.titles = std::move(titles);
  }
  write_file_atomically(path, to_json(study) + "\n");
}

// Before the first run, not hours later.
void require_data(const StudyOptions& options, const std::vector<PlannedRun>& runs) {
  std::set<std::string> names;
  for (const PlannedRun& run : runs)
    if (!is_generated(run.data)) names.insert(run.data);
  if (!names.empty() && options.data.empty())
    throw InvalidOption("data", "", "name the directory that holds the files of the paper's data sets");
  for (const std::string& name : names) check_protocol_file(name, options.data);
}

// --- Making it

// The runs that are left, handed to whoever asks; records and progress one at a time.
class Session {
 public:
  Session(const StudyOptions& options, const StudyHooks& hooks, RunLog& log, std::vector<PlannedRun> left,
          std::size_t there)
      : options_(options),
        hooks_(hooks),
        log_(log),
        data_(options.data),
        left_(std::move(left)),
        there_(there) {
    for (const PlannedRun& run : left_) limits_left_ += run.limit;
  }

  // Returns how many runs were made.
  std::size_t go() {
    ThreadPool pool(std::clamp<std::size_t>(left_.size(), 1, options_.jobs));
    pool.run(pool.threads(), [this](std::size_t, std::size_t) { work(); });
    if (problem_) std::rethrow_exception(problem_);
    return made_;
  }

 private:
  void work() {
    while (const PlannedRun* const run = take()) {
      try {
        const FitData& data = data_.get(run->data, run->variant->scaling);
        const auto line = make_run(*run, data, options_.threads, [this] { return stopping(); });
        if (!line) return;
        finish(*run, *line);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failed_.exchange(true)) problem_ = std::current_exception();
      }
    }
  }

  const PlannedRun* take() {
    const std::lock_guard lock(mutex_);
    if (stopping() || next_ == left_.size()) return nullptr;
    const PlannedRun* const run = &left_[next_++];
    report(run);
    return run;
  }

  void finish(const PlannedRun& run, const std::string& line) {
    const std::lock_guard lock(mutex_);
    log_.append(line);
    ++made_;
    limits_left_ -= run.limit;
    limits_done_ += run.limit;
    if (made_ == left_.size()) report(nullptr);
  }

  [[nodiscard]] bool stopping() const { return failed_ || (hooks_.interrupt && hooks_.interrupt()); }

  void report(const PlannedRun* run) const {
    if (hooks_.progress) hooks_.progress({there_ + made_, there_ + left_.size(), seconds_left(), run});
  }

  // Many runs end long before their limit, and the machine may be busy: what was is the best guess of what will be.
  [[nodiscard]] double seconds_left() const {
    if (made_ == 0) return limits_left_ / static_cast<double>(options_.jobs);
    return (clock_() - started_) * limits_left_ / limits_done_;
  }

  const StudyOptions& options_;
  const StudyHooks& hooks_;
  RunLog& log_;
  Datasets data_;
  std::vector<PlannedRun> left_;
  std::size_t there_;
  std::size_t next_ = 0;
  std::size_t made_ = 0;
  double limits_left_ = 0;
  double limits_done_ = 0;
  Clock clock_ = steady_clock();
  double started_ = clock_();
  std::atomic<bool> failed_ = false;
  std::exception_ptr problem_;  // of the job that failed first
  std::mutex mutex_;
};

}  // namespace

std::string PlannedRun::key() const {
  return RunRecord{.variant = variant->name, .data = data, .network = network, .method = method, .seed = seed}
      .key();
}

std::vector<PlannedRun> plan(const StudyOptions& options) {
  check(options);
  std::vector<PlannedRun> runs;
  std::set<std::string> planned;
  for (std::uint64_t seed = 1; seed <= run_count(options); ++seed)
    for (const Configuration& configuration : options.configurations)
      if (seed <= runs_of(options, configuration))
        for_each_run(options, configuration, seed, [&](PlannedRun run) {
          if (planned.insert(run.key()).second) runs.push_back(std::move(run));
        });
  return runs;
}

StudyOutcome run_study(const StudyOptions& options, const StudyHooks& hooks) {
  std::vector<PlannedRun> runs = plan(options);
  StudyOutcome outcome{.planned = runs.size()};
  RunLog log(options.out);
  write_study(options);
  if (log.cut() && hooks.say) hooks.say("the last record was not whole and is made again");
  std::set<std::string> there;
  for (const RunRecord& record : read_runs(options.out)) there.insert(record.key());
  std::erase_if(runs, [&](const PlannedRun& run) { return there.contains(run.key()); });
  outcome.there = outcome.planned - runs.size();
  require_data(options, runs);
  Session session(options, hooks, log, std::move(runs), outcome.there);
  outcome.made = session.go();
  outcome.interrupted = outcome.there + outcome.made < outcome.planned;
  return outcome;
}

}  // namespace strata
