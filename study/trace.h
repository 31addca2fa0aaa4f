#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "strata/network/architecture.h"
#include "strata/trainers/records.h"

namespace strata {

// What happened to one block of layers over a run.
struct BlockVisits {
  Block block;
  std::size_t visits = 0;
  std::size_t fallbacks = 0;  // the Armijo step was taken instead
  std::size_t skipped = 0;
  std::size_t refused = 0;
  std::size_t iterations = 0;  // of the inner solves
  std::vector<std::pair<double, double>> lengths =
      {};  // seconds, length of the step; of visits that measured it
};

struct Trace {
  std::vector<SweepRecord> sweeps;
  std::vector<BlockVisits> blocks;  // from the first layer to the last
  std::size_t steps = 0;
  // JSON objects: what was trained on what, and how it ended; "null" where the file does not say so.
  std::string run = "null";
  std::string result = "null";
};

// Reads what strata train --trace has written. Refuses a line that is neither a step nor a sweep, with its number, and a
// file without a finished sweep. A last line without an end is left out: its run was killed, or still goes on.
Trace read_trace(const std::filesystem::path& file);

}  // namespace strata
