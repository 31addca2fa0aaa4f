#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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

  template <class T>
  void shuffle(std::span<T> items) {  // Fisher-Yates
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
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
