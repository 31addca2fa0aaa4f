#include "strata/parallel/communicator.h"

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

}  // namespace

void Communicator::send(std::size_t to, std::span<const std::byte> message) {
  ++traffic_.messages;
  traffic_.bytes += message.size();
  do_send(to, message);
}

void Communicator::exchange(std::size_t to, std::span<const std::byte> out, std::size_t from,
                            std::span<std::byte> in) {
  ++traffic_.messages;
  traffic_.bytes += out.size();
  do_exchange(to, out, from, in);
}

// Counted as what leaves the root: one copy for each other process, on whatever way it travels.
void Communicator::broadcast(std::size_t root, std::span<std::byte> data) {
  if (alone()) return;
  if (rank() == root) {
    traffic_.messages += size() - 1;
    traffic_.bytes += (size() - 1) * data.size();
  }
  do_broadcast(root, data);
}

Communicator& single_process() {
  static SingleProcess process;
  return process;
}

}  // namespace strata
