#pragma once

#include <filesystem>

#include "settings.h"
#include "strata/core/state.h"

namespace app {

// A run that can go on: its state, and what the program was told when it started.
struct Checkpoint {
  Settings settings;
  strata::State state;
};

void save_checkpoint(const std::filesystem::path& file, const Settings& settings, const strata::State& state);
Checkpoint load_checkpoint(const std::filesystem::path& file);  // throws strata::DataError

}  // namespace app
