#include "strata/parallel/communicator.h"

#include <algorithm>
#include <cassert>

namespace strata {

namespace {

class SingleProcess final : public Communicator {
 public:
  [[nodiscard]] std::size_t rank() const override { return 0; }
  [[nodiscard]] std::size_t size() const override { return 1; }

 private:
  void do_send(std::size_t /*to*/, std::span<const std::byte> /*message*/) override { assert(false); }
  void do_receive(std::size_t /*from*/, std::span<std::byte> /*message*/) override { assert(false); }
  void do_exchange(std::size_t /*to*/, std::span<const std::byte> /*out*/, std::size_t /*from*/,
                   std::span<std::byte> /*in*/) override {
    assert(false);
  }
  void do_broadcast(std::size_t /*root*/, std::span<std::byte> /*data*/) override { assert(false); }
};

// Takes the next part off the front of the data.
template <class Byte>
std::span<Byte> next_part(std::span<Byte>& data) {
  const auto part = data.first(std::min(Communicator::longest_part, data.size()));
  data = data.subspan(part.size());
  return part;
}

}  // namespace

void Communicator::send(std::size_t to, std::span<const std::byte> message) {
  ++traffic_.messages;
  traffic_.bytes += message.size();
  do {
    do_send(to, next_part(message));
  } while (!message.empty());
}

void Communicator::receive(std::size_t from, std::span<std::byte> message) {
  do {
    do_receive(from, next_part(message));
  } while (!message.empty());
}

// The two may differ in their number of parts, and no process knows how many its partners exchange with others: what is
// over is sent or received alone. Not all processes around a ring can have more to send than to receive.
void Communicator::exchange(std::size_t to, std::span<const std::byte> out, std::size_t from,
                            std::span<std::byte> in) {
  ++traffic_.messages;
  traffic_.bytes += out.size();
  do {
    const auto sent = next_part(out);
    do_exchange(to, sent, from, next_part(in));
  } while (!out.empty() && !in.empty());
  while (!out.empty()) do_send(to, next_part(out));
  while (!in.empty()) do_receive(from, next_part(in));
}

// Counted as what leaves the root: one copy for each other process, on whatever way it travels.
void Communicator::broadcast(std::size_t root, std::span<std::byte> data) {
  if (alone()) return;
  if (rank() == root) {
    traffic_.messages += size() - 1;
    traffic_.bytes += (size() - 1) * data.size();
  }
  do {
    do_broadcast(root, next_part(data));
  } while (!data.empty());
}

Communicator& single_process() {
  static SingleProcess process;
  return process;
}

}  // namespace strata
