#pragma once

#include <cstddef>
#include <span>

#include "strata/core/vector.h"
#include "strata/parallel/communicator.h"
#include "strata/parallel/thread_pool.h"

namespace strata {

// Which shards belong to which process: consecutive ones, as even as can be.
struct ShardShares {
  std::size_t shards = 1;
  std::size_t processes = 1;
  std::size_t home = 0;  // of all shards, where they are too few to be shared
  bool shared = true;

  [[nodiscard]] std::size_t owner(std::size_t shard) const {
    return shared ? shard * processes / shards : home;
  }
  [[nodiscard]] std::size_t begin(std::size_t process) const {
    if (shared) return (process * shards + processes - 1) / processes;
    return process <= home ? 0 : shards;
  }
  [[nodiscard]] std::size_t end(std::size_t process) const { return begin(process + 1); }
  [[nodiscard]] std::size_t count(std::size_t process) const { return end(process) - begin(process); }
};

// Vectors of one length, one for each shard of this process, and their sum over the shards of all processes. Pairs of
// neighbouring shards are added, then pairs of pairs, always in the same tree: the bits of the sum depend neither on the
// number of threads nor on that of processes. A process adds up what is its own and sends the sums of its largest whole
// subtrees, each to the process that has the other half.
class ShardSums {
 public:
  // Memory is reused.
  void start(const ShardShares& shares, std::size_t rank, std::size_t length);
  double* cleared(std::size_t shard);  // the vector of one of this process's shards, all zero

  // The total, at every process. Valid until the next start.
  std::span<const double> total(Communicator& processes, ThreadPool& pool);

 private:
  [[nodiscard]] double* of(std::size_t shard) { return sums_.data() + (shard - begin_) * stride_; }
  void add_own(std::size_t from, std::size_t length);
  void add_others(Communicator& processes);

  ShardShares shares_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t length_ = 0;
  std::size_t stride_ = 0;  // from one vector to the next: each starts on a cache line
  Vector sums_;
  Vector received_;
};

}  // namespace strata
