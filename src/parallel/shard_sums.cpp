#include "strata/parallel/shard_sums.h"

#include <algorithm>

namespace strata {

void ShardSums::start(const ShardShares& shares, std::size_t rank, std::size_t length) {
  shares_ = shares;
  begin_ = shares.begin(rank);
  end_ = shares.end(rank);
  length_ = length;
  stride_ = (length + 7) / 8 * 8;
  // A process without shards still needs room for the total.
  const std::size_t needed = std::max<std::size_t>(end_ - begin_, 1) * stride_;
  if (sums_.size() < needed) sums_.resize(needed);
  if (received_.size() < length) received_.resize(length);
}

double* ShardSums::cleared(std::size_t shard) {
  std::fill_n(of(shard), length_, 0.0);
  return of(shard);
}

std::span<const double> ShardSums::total(Communicator& processes, ThreadPool& pool) {
  constexpr std::size_t piece = 1024;
  if (end_ - begin_ > 1)
    pool.run((length_ + piece - 1) / piece, [&](std::size_t task, std::size_t /*worker*/) {
      add_own(task * piece, std::min(piece, length_ - task * piece));
    });
  const std::span<double> sum(sums_.data(), length_);
  if (!processes.alone()) {
    if (shares_.shared) add_others(processes);
    processes.broadcast(shares_.owner(0), std::as_writable_bytes(sum));
  }
  return sum;
}

// Subtrees that lie in this process alone. Pieces of the vectors go to different threads.
void ShardSums::add_own(std::size_t from, std::size_t length) {
  for (std::size_t step = 1; step < shares_.shards; step *= 2)
    for (std::size_t s = (begin_ + 2 * step - 1) / (2 * step) * (2 * step); s + step < end_; s += 2 * step)
      if (std::min(s + 2 * step, shares_.shards) <= end_)
        add_scaled({of(s) + from, length}, 1.0, {of(s + step) + from, length});
}

// The rest of the tree. Every process goes through it in the same order, so that no two wait for each other.
void ShardSums::add_others(Communicator& processes) {
  const std::size_t me = processes.rank();
  const std::span<double> received(received_.data(), length_);
  for (std::size_t step = 1; step < shares_.shards; step *= 2)
    for (std::size_t s = 0; s + step < shares_.shards; s += 2 * step) {
      const std::size_t left = shares_.owner(s);
      const std::size_t right = shares_.owner(s + step);
      if (left == shares_.owner(std::min(s + 2 * step, shares_.shards) - 1)) continue;  // added already
      if (left == me && right == me) add_scaled({of(s), length_}, 1.0, {of(s + step), length_});
      if (left == right) continue;
      if (right == me) processes.send(left, std::as_bytes(std::span(of(s + step), length_)));
      if (left != me) continue;
      processes.receive(right, std::as_writable_bytes(received));
      add_scaled({of(s), length_}, 1.0, received);
    }
}

}  // namespace strata
