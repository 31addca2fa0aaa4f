#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strata/core/random.h"
#include "strata/core/state.h"

namespace strata {

// The order of the rows of a table: their own, until it is shuffled, again and again. One process that has all rows keeps the row
// at each place, in 4 bytes where that is enough. Where processes share the rows, each keeps the places of its own: it
// makes all draws of a shuffle and follows its rows through them, without a message. For that time alone it takes a bit for each
// row of all, and 12 to 24 bytes for each of its own.
class RowOrder {
 public:
  // For one process that has all rows.
  explicit RowOrder(std::size_t rows) : RowOrder(rows, 0, rows, true) {}
  // For one of several that share them: consecutive rows are its own.
  RowOrder(std::size_t rows, std::size_t first_own, std::size_t own)
      : RowOrder(rows, first_own, own, false) {}

  // Of one process: the row at a place. Of several: the place of an own row, which are counted from 0.
  [[nodiscard]] std::size_t operator[](std::size_t index) const {
    if (!narrow_.empty()) return narrow_[index];
    return wide_.empty() ? first_own_ + index : wide_[index];
  }

  void shuffle(RandomStream& stream);

  // What is saved are the streams of the shuffles, which are made again: 5 numbers as long as nothing else draws from the stream.
  void save(State& state) const { state.put("shuffles", shuffles_); }
  // Refuses (Error) more shuffles than there can have been.
  void restore(const State& state, std::size_t most_shuffles);

 private:
  RowOrder(std::size_t rows, std::size_t first_own, std::size_t own, bool alone)
      : rows_(rows), first_own_(first_own), own_(own), alone_(alone) {}
  void reorder(RandomStream& stream);

  std::size_t rows_;
  std::size_t first_own_;
  std::size_t own_;
  bool alone_;
  std::vector<std::uint32_t> narrow_;  // one of the two, once there was a shuffle
  std::vector<std::uint64_t> wide_;
  std::vector<std::uint64_t>
      shuffles_;  // for those one after the other: the stream before the first, and how many they are
  RandomStream::State after_{};  // the last of them
};

}  // namespace strata
