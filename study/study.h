#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "study/configuration.h"

namespace strata {

struct StudyOptions {
  std::filesystem::path data;                 // where the files of the paper's sets are
  std::filesystem::path out;                  // the study's directory; what is in it is not run again
  std::vector<Configuration> configurations;  // runs that several of them want are made once
  std::vector<std::string> datasets = {};     // of those of the configurations; empty: all
  std::vector<std::string> networks = {};
  std::optional<std::size_t> runs = {};  // starting points; otherwise what each configuration says
  double time_scale = 1;                 // of all time limits
  std::size_t threads = 1;               // of one run; 1: limits count processor seconds, otherwise wall time
  std::size_t jobs = 1;                  // runs at a time
  std::string version = {};              // of the program, for study.json
};

struct PlannedRun {
  const StudyVariant* variant;
  std::string data;
  std::string network;
  std::string method;
  std::uint64_t seed;
  double limit;  // seconds

  [[nodiscard]] std::string key() const;  // that of its record
};

// In the order in which they are made: all cells with the first start, then all with the second, so that a study that is
// cut short is a study with fewer starts. The methods compared have the same seed, hence the same start.
std::vector<PlannedRun> plan(const StudyOptions& options);

struct StudyProgress {
  std::size_t finished;  // with those of earlier sessions
  std::size_t planned;
  double seconds_left;    // a guess from the part of their limits that runs have used so far
  const PlannedRun* run;  // the one that ended, or starts; none at the end
};

struct StudyHooks {
  std::function<void(const StudyProgress&)> progress = {};  // one call at a time
  std::function<bool()> interrupt = {};  // asked often; true: runs that are not finished are dropped
  std::function<void(const std::string&)> say = {};  // what a user should know
};

struct StudyOutcome {
  std::size_t planned = 0;
  std::size_t there = 0;  // from earlier sessions
  std::size_t made = 0;
  bool interrupted = false;
};

// Makes the runs that are not there yet, each recorded as it ends.
StudyOutcome run_study(const StudyOptions& options, const StudyHooks& hooks = {});

}  // namespace strata
