#include "support/allocation_counter.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count{0};
std::atomic<bool> others_fail{false};
thread_local bool spared = false;
std::atomic<std::size_t> live{0};
std::atomic<std::size_t> peak{0};

void note(void* memory) {
  const std::size_t now = live += malloc_usable_size(memory);
  for (std::size_t most = peak; now > most && !peak.compare_exchange_weak(most, now);) continue;
}

void release(void* memory) {
  live -= malloc_usable_size(memory);
  std::free(memory);
}

std::atomic<long> left{-1};  // calls before the one that fails; below 0: none does

bool fails() {
  if (others_fail.load(std::memory_order_relaxed) && !spared) return true;
  return left.load(std::memory_order_relaxed) >= 0 && left.fetch_sub(1, std::memory_order_relaxed) == 0;
}

void* counted(void* memory) {
  count.fetch_add(1, std::memory_order_relaxed);
  if (memory != nullptr && !fails()) {
    note(memory);
    return memory;
  }
  std::free(memory);
  throw std::bad_alloc();
}

std::size_t rounded_up(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;  // aligned_alloc asks for a multiple
}

}  // namespace

namespace strata::test {

FailingAllocation::FailingAllocation(std::size_t before) { left = static_cast<long>(before); }
FailingAllocation::~FailingAllocation() { left = -1; }
bool FailingAllocation::reached() const { return left < 0; }

std::size_t allocations() { return count.load(std::memory_order_relaxed); }

std::size_t live_bytes() { return live; }
std::size_t peak_bytes() { return peak; }
void reset_peak_bytes() { peak = live.load(); }

NoMemoryInOtherThreads::NoMemoryInOtherThreads() {
  spared = true;
  others_fail = true;
}

NoMemoryInOtherThreads::~NoMemoryInOtherThreads() {
  others_fail = false;
  spared = false;
}

}  // namespace strata::test

// The array forms of the standard library call these; the nothrow form does too, but not that of a sanitizer.
void* operator new(std::size_t size) { return counted(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory != nullptr) note(memory);
  return memory;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(to, rounded_up(size == 0 ? 1 : size, to)));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
