#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

#include "strata/parallel/communicator.h"
#include "strata/parallel/thread_pool.h"

namespace strata {

// Bytes that all parts of a computation share for what grows with the rows. Shares are taken and given back by any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t left() const { return bytes_ - used_; }

 private:
  friend class MemoryShare;
  bool change(std::size_t from, std::size_t to);

  std::size_t bytes_;
  std::atomic<std::size_t> used_{0};
};

// What one part has taken of a budget; given back at its end.
class MemoryShare {
 public:
  explicit MemoryShare(MemoryBudget& budget) : budget_(&budget) {}
  ~MemoryShare() { budget_->change(bytes_, 0); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  // To at least so much. False, and nothing changes, where the budget does not have it.
  [[nodiscard]] bool grow_to(std::size_t bytes);
  // The same for rows, which cannot be done without: refuses (InvalidOption) where they do not fit.
  void require(std::size_t bytes);

 private:
  MemoryBudget* budget_;
  std::size_t bytes_ = 0;
};

// Half of the memory that this process may use: that of the machine, or a lower limit of its container or its user.
std::size_t default_memory();

// The bytes that 2000000, 500MB, 2GB or 1.5GiB name; refuses any other text.
std::size_t memory_from(std::string_view text);

struct EngineOptions {
  std::size_t threads = 1;                      // 0: one per core
  Communicator* processes = &single_process();  // that share the rows; they make their engines together
  std::size_t memory =
      0;  // bytes, of each process; 0: default_memory(), shared by the processes of a machine
};

// What a computation runs on: threads, processes and memory, made once and passed to all that needs them. Results have the
// same bits on any engine.
class Engine {
 public:
  explicit Engine(const EngineOptions& options);

  [[nodiscard]] ThreadPool& threads() { return threads_; }
  [[nodiscard]] Communicator& processes() { return *processes_; }
  [[nodiscard]] MemoryBudget& memory() { return memory_; }

 private:
  Communicator* processes_;
  ThreadPool threads_;
  MemoryBudget memory_;
};

// One thread of one process. It is shared by all callers, in any thread.
Engine& serial_engine();

}  // namespace strata
