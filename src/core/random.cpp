#include "strata/core/random.h"

#include <bit>
#include <cmath>
#include <numeric>

#include "strata/core/portable_math.h"

namespace strata {

namespace {

std::uint64_t splitmix64(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15U;
  std::uint64_t z = x;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed) : state_{} {
  for (auto& word : state_) word = splitmix64(seed);
}

RandomStream RandomStream::split(std::uint64_t label) const {
  std::uint64_t seed = label;
  std::uint64_t mixed = splitmix64(seed);
  for (const auto word : state_) {
    std::uint64_t x = mixed ^ word;
    mixed = splitmix64(x);
  }
  return RandomStream(mixed);
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::size_t RandomStream::below(std::size_t bound) {
  // Values under 2^64 mod bound are drawn again: every residue is then equally likely. That number is below the bound, and hardly
  // ever needed.
  std::uint64_t value = next();
  if (value < bound)
    for (const std::uint64_t threshold = (0 - static_cast<std::uint64_t>(bound)) % bound; value < threshold;)
      value = next();
  return value % bound;
}

double RandomStream::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

double RandomStream::normal() {
  // Marsaglia's polar method, one value per pair: no state beyond the stream's own.
  for (;;) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * portable_log(s) / s);
  }
}

std::vector<std::size_t> RandomStream::permutation(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(std::span(order));
  return order;
}

}  // namespace strata
