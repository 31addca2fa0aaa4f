#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "strata/core/random.h"
#include "strata/model/fit.h"
#include "strata/objective/packed_rows.h"

// Several networks, the members of a model, trained side by side.
namespace strata {

using Folds = std::vector<std::vector<std::size_t>>;  // rows of each

// So many disjoint parts of the rows, each `fraction` of them or, where that does not go round, less. Classes are spread
// evenly over the parts; the only row of a class is in none.
Folds make_folds(const Dataset& train, bool classes, std::size_t count, double fraction, RandomStream stream);

struct MemberRows {
  const PackedRows& all;
  Folds folds = {};                        // a member trains on all rows but those of its fold
  std::size_t members_of_a_fold = 1;       // one after the other; they validate on the same rows
  const PackedRows* validation = nullptr;  // without folds: the validation rows of all members
};

// Trains one member on these rows, with hooks of its own: the engine is the member's.
using TrainMember = std::function<TrainingResult(std::size_t member, const TrainingRows&, const FitHooks&)>;

// Trains so many members on the threads of the engine, as many at a time as there are threads. Hooks are called by one
// thread at a time and `interrupt` by the caller's own. Members that an interruption kept from beginning have no result.
// States of checkpoints hold those of the members.
std::vector<std::optional<TrainingResult>> train_members(std::size_t count, const MemberRows& rows,
                                                         const FitHooks& hooks, const TrainMember& train);

// Refuses a state, where there is one, of another number of members.
void check_members_of(const State* saved, std::size_t count);

// How many are trained at a time.
std::size_t members_at_once(std::size_t members, Engine& engine);

// What is told of all members together: means of values, sums of work, time as if it were shared evenly by the threads.
TrainingResult summed_up(std::vector<TrainingResult> members, std::size_t at_once);

}  // namespace strata
