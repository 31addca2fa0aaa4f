#include "strata/trainers/validation.h"

#include "strata/core/random.h"
#include "strata/data/shared_rows.h"
#include "strata/data/split.h"

namespace strata {

HeldOut hold_out(const Dataset& data, double fraction, std::uint64_t seed, Communicator& processes) {
  const Split split = split_by_fraction(data.all_rows(), fraction, RandomStream(seed).split(3));
  return {take_rows(data, split.train, processes), take_rows(data, split.test, processes)};
}

}  // namespace strata
