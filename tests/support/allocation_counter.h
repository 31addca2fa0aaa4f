#pragma once

#include <cstddef>

namespace strata::test {

// Calls of operator new since the program started, in any thread. For a test program that also compiles
// support/allocation_counter.cpp (add ../support/allocation_counter.cpp to its strata_tests line).
std::size_t allocations();

// How many of them a piece of code makes.
template <class Code>
std::size_t allocations_of(Code&& code) {
  const std::size_t before = allocations();
  code();
  return allocations() - before;
}

// Bytes that operator new has given out and that were not given back: the most since the last reset.
std::size_t peak_bytes();
void reset_peak_bytes();
std::size_t live_bytes();

// The most that a piece of code has at a time, beyond what there was before.
template <class Code>
std::size_t peak_bytes_of(Code&& code) {
  reset_peak_bytes();
  const std::size_t before = live_bytes();
  code();
  return peak_bytes() - before;
}

// While it lives, operator new fails in every thread but the one that made it.
class NoMemoryInOtherThreads {
 public:
  NoMemoryInOtherThreads();
  ~NoMemoryInOtherThreads();
  NoMemoryInOtherThreads(const NoMemoryInOtherThreads&) = delete;
  NoMemoryInOtherThreads& operator=(const NoMemoryInOtherThreads&) = delete;
};

// While it lives, one call of operator new throws: the one that comes after `before` others, in any thread.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::size_t before);
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  ~FailingAllocation();
  [[nodiscard]] bool reached() const;
};

}  // namespace strata::test
