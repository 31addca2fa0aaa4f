#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace strata {

// A study is a directory: study.json says how it was made, runs.jsonl holds one JSON object per finished run, a line
// each. A line counts once its end is there, so a program that was killed while writing leaves nothing half.
inline constexpr const char* runs_file = "runs.jsonl";
inline constexpr const char* kept_runs_file = "runs.jsonl.gz";  // those of earlier, compressed
inline constexpr const char* study_file = "study.json";

inline constexpr const char* paper_variant = "paper";  // the paper's own protocol

// One run. A number that was not finite is infinite here: worse than any other.
struct RunRecord {
  std::string variant;  // which reading of the protocol: "paper", "forward", "fair", ...
  std::string data;     // "california"
  std::string network;  // "10x50"
  std::string method;   // "b2ld"
  std::uint64_t seed = 0;
  std::string reason = {};    // why it stopped
  std::size_t variables = 0;  // n
  std::size_t train_rows = 0;
  std::size_t test_rows = 0;
  double l2 = 0;
  double limit = 0;  // seconds allowed
  double objective = 0;
  double gradient_norm = 0;
  double train_mse = 0;
  double test_mse = 0;
  double test_r2 = 0;  // of all scalings of the target the same
  double seconds = 0;
  std::size_t sweeps = 0;
  std::vector<std::size_t> updates_per_layer = {};
  std::vector<std::pair<double, double>> curve = {};  // seconds, best objective so far

  [[nodiscard]] std::string key() const;  // "paper california 10x50 b2ld 1": what makes it this run
};

// Both files, as far as they are there. Checked: a line that is no record of a run, or a run that is there already, is refused with file and line.
std::vector<RunRecord> read_runs(const std::filesystem::path& directory);

struct StudyInfo {
  std::string version;  // of the program
  double time_scale = 1;
  std::size_t runs = 0;  // starting points
  std::size_t threads = 1;
  std::size_t jobs = 1;
  std::string cpu;
  std::size_t cores = 0;
  std::string compiler;
  std::string clock;                     // what the seconds are
  std::vector<std::string> titles = {};  // of the configurations that were run
};

StudyInfo read_study(const std::filesystem::path& directory);
std::string to_json(const StudyInfo& study);

}  // namespace strata
