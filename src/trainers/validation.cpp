#include "strata/trainers/validation.h"

#include "strata/core/random.h"
#include "strata/data/split.h"

namespace strata {

HeldOut hold_out(const Dataset& data, double fraction, std::uint64_t seed) {
  const Split split = split_by_fraction(data.rows, fraction, RandomStream(seed).split(3));
  return {take_rows(data, split.train), take_rows(data, split.test)};
}

}  // namespace strata
