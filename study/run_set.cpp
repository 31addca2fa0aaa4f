#include "study/run_set.h"

#include <algorithm>

namespace strata {

namespace {

constexpr double tie = 0.05;  // a method beats the other if its value is better by more than this fraction

void add_new(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Those of the wanted order that are there, then the others as they came.
std::vector<std::string> ordered(const std::vector<std::string>& order,
                                 const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : order)
    if (std::find(names.begin(), names.end(), name) != names.end()) result.push_back(name);
  for (const std::string& name : names) add_new(result, name);
  return result;
}

}  // namespace

RunSet::RunSet(const std::vector<RunRecord>& runs) {
  for (const RunRecord& run : runs) {
    runs_[{run.variant, run.network, run.data, run.method}].emplace(run.seed, &run);
    add_new(networks_, run.network);
    add_new(data_, run.data);
  }
  networks_ = ordered({"1x50", "3x20", "200-50-200", "5x50", "10x50"}, networks_);
  data_ = ordered({"ailerons", "bank", "beijing", "bike", "california", "ccpp", "mv"}, data_);
}

std::vector<std::string> RunSet::networks() const { return networks_; }
std::vector<std::string> RunSet::data() const { return data_; }

std::vector<StudyCell> RunSet::cells(const std::string& variant,
                                     const std::vector<std::string>& methods) const {
  std::vector<StudyCell> found;
  for (const std::string& network : networks_)
    for (const std::string& data : data_)
      if (std::any_of(methods.begin(), methods.end(), [&](const std::string& method) {
            return starts(variant, {network, data}, method) != nullptr;
          }))
        found.push_back({network, data});
  return found;
}

const RunSet::Starts* RunSet::starts(const std::string& variant, const StudyCell& cell,
                                     const std::string& method) const {
  const auto found = runs_.find({variant, cell.network, cell.data, method});
  return found == runs_.end() ? nullptr : &found->second;
}

const RunRecord* RunSet::best(const std::string& variant, const StudyCell& cell,
                              const std::string& method) const {
  const RunRecord* lowest = nullptr;
  if (const Starts* const all = starts(variant, cell, method))
    for (const auto& [seed, run] : *all)
      if (lowest == nullptr || run->objective < lowest->objective) lowest = run;
  return lowest;
}

Score RunSet::score(const std::string& variant, const StudyCell& cell, const MethodPair& methods,
                    double RunRecord::*field) const {
  const Starts* const first = starts(variant, cell, methods[0]);
  const Starts* const second = starts(variant, cell, methods[1]);
  Score score;
  if (first == nullptr || second == nullptr) return score;
  for (const auto& [seed, run] : *first) {
    const auto other = second->find(seed);
    if (other == second->end()) continue;
    const double ours = run->*field;
    const double theirs = other->second->*field;
    score.runs += 1;
    score.wins += ours < (1 - tie) * theirs ? 1 : 0;
    score.defeats += theirs < (1 - tie) * ours ? 1 : 0;
  }
  return score;
}

}  // namespace strata
