#pragma once

#include <string>

#include "strata/core/clock.h"
#include "study/study.h"

namespace strata {

// The run, as a line of runs.jsonl; nothing when it was interrupted.
std::optional<std::string> make_run(const PlannedRun& run, const FitData& data, std::size_t threads,
                                    const std::function<bool()>& interrupt);

}  // namespace strata
