#pragma once

#include "strata/core/state.h"
#include "strata/trainers/scheme.h"

namespace strata {

// What must be the same for a run to be continued: the data by their hash, everything else by its value.
void put_fingerprint(State& state, const Network& network, const TrainingRows& rows, const Scheme& scheme,
                     const TrainOptions& options);

// Refuses (InvalidOption) the first of them that differs.
void require_same(const State& saved, const State& now, const Scheme& scheme);

}  // namespace strata
