#pragma once

#include <string_view>
#include <vector>

#include "strata/core/state.h"
#include "strata/network/architecture.h"
#include "strata/trainers/records.h"

namespace strata {

// What several parts of a run put into a checkpoint, and read back.

void put_blocks(State& state, std::string_view name, const std::vector<Block>& blocks);
void get_blocks(const State& state, std::string_view name, std::vector<Block>& blocks);

void put_work(State& state, std::string_view name, const Work& work);
Work get_work(const State& state, std::string_view name);

void put_records(State& state, std::string_view name, const std::vector<SweepRecord>& records);
void put_records(State& state, std::string_view name, const std::vector<StepRecord>& records);
void get_records(const State& state, std::string_view name, std::vector<SweepRecord>& records);
void get_records(const State& state, std::string_view name, std::vector<StepRecord>& records);

}  // namespace strata
