#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "strata/parallel/communicator.h"

// Values of simple types between all processes. Every process calls, in the same order.
namespace strata {

// From the root's value to everyone's.
template <class T>
requires std::is_trivially_copyable_v<T> T broadcast_value(Communicator& processes, T value,
                                                           std::size_t root = 0) {
  processes.broadcast(root, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

// What each process gave, by rank.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> all_gather(Communicator& processes, const T& value) {
  std::vector<T> values(processes.size(), value);
  for (std::size_t k = 1; k < processes.size(); ++k) {
    const std::size_t to = (processes.rank() + k) % processes.size();
    const std::size_t from = (processes.rank() + processes.size() - k) % processes.size();
    processes.exchange(to, std::as_bytes(std::span(&value, 1)), from,
                       std::as_writable_bytes(std::span(&values[from], 1)));
  }
  return values;
}

// Of whole numbers: what all processes gave, added.
inline std::size_t sum_over(Communicator& processes, std::size_t own) {
  std::size_t sum = 0;
  for (const std::size_t value : all_gather(processes, own)) sum += value;
  return sum;
}

// parts[q] goes to process q; what it gave for this one comes back at index q. Lengths may differ.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<std::vector<T>> all_to_all(
    Communicator& processes, std::vector<std::vector<T>> parts) {
  std::vector<std::vector<T>> received(processes.size());
  received[processes.rank()] = std::move(parts[processes.rank()]);
  for (std::size_t k = 1; k < processes.size(); ++k) {
    const std::size_t to = (processes.rank() + k) % processes.size();
    const std::size_t from = (processes.rank() + processes.size() - k) % processes.size();
    const std::size_t length = parts[to].size();
    std::size_t expected = 0;
    processes.exchange(to, std::as_bytes(std::span(&length, 1)), from,
                       std::as_writable_bytes(std::span(&expected, 1)));
    received[from].resize(expected);
    processes.exchange(to, std::as_bytes(std::span(parts[to])), from,
                       std::as_writable_bytes(std::span(received[from])));
  }
  return received;
}

// What all processes hold, one behind the other by rank: of rows that they share, all in their order.
template <class Values>
Values gathered(const Values& own, Communicator& processes) {
  if (processes.alone()) return own;
  const std::vector<typename Values::value_type> part(own.begin(), own.end());
  Values all;
  for (const auto& other : all_to_all(processes, std::vector(processes.size(), part)))
    all.insert(all.end(), other.begin(), other.end());
  return all;
}

}  // namespace strata
