#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "strata/core/state.h"
#include "strata/network/architecture.h"
#include "strata/trainers/records.h"

namespace strata {

// What several parts of a run put into a checkpoint, and read back.

// Options of an update: a run that is continued must have the same (InvalidOption).
using OptionList = std::vector<std::pair<std::string_view, double>>;
void put_options(State& state, std::string_view update, const OptionList& options);
void require_options(const State& state, std::string_view update, const OptionList& options);

void put_blocks(State& state, std::string_view name, const std::vector<Block>& blocks);
void get_blocks(const State& state, std::string_view name, std::vector<Block>& blocks);

void put_work(State& state, std::string_view name, const Work& work);
Work get_work(const State& state, std::string_view name);

void put_records(State& state, std::string_view name, const std::vector<SweepRecord>& records);
void put_records(State& state, std::string_view name, const std::vector<StepRecord>& records);
void get_records(const State& state, std::string_view name, std::vector<SweepRecord>& records);
void get_records(const State& state, std::string_view name, std::vector<StepRecord>& records);

}  // namespace strata
