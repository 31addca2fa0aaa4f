#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "strata/data/scale.h"
#include "strata/model/fit.h"

namespace strata {

// The names a study may use: the paper's seven sets and the built-in generators.
void require_dataset(std::string_view name);  // throws InvalidOption with the nearest name
bool is_generated(std::string_view name);

// The data of a study: each set is read when a run first needs it, and once. Runs in several threads may ask.
class Datasets {
 public:
  explicit Datasets(std::filesystem::path raw_directory) : raw_directory_(std::move(raw_directory)) {}

  const FitData& get(const std::string& name, Scaling scaling);

 private:
  std::filesystem::path raw_directory_;
  std::mutex mutex_;
  std::map<std::pair<std::string, Scaling>, FitData> sets_;
};

}  // namespace strata
