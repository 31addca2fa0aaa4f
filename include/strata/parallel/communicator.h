#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace strata {

// What a process has sent.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// The processes that train one network together, as one of them sees the others. All call the same operations in the
// same order; a message arrives whole, and messages from one process to another arrive in the order they were sent.
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] virtual std::size_t rank() const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] bool alone() const { return size() == 1; }

  // Parts of a message that are handed to the functions below are no longer than this: MPI counts bytes in int.
  static constexpr std::size_t longest_part = std::size_t{1} << 30U;

  // The receiver knows the length.
  void send(std::size_t to, std::span<const std::byte> message);
  void receive(std::size_t from, std::span<std::byte> message);
  // Sends to one and receives from another at the same time.
  void exchange(std::size_t to, std::span<const std::byte> out, std::size_t from, std::span<std::byte> in);
  // What `root` has is written to `data` of all others.
  void broadcast(std::size_t root, std::span<std::byte> data);

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  virtual void do_send(std::size_t to, std::span<const std::byte> message) = 0;
  virtual void do_receive(std::size_t from, std::span<std::byte> message) = 0;
  virtual void do_exchange(std::size_t to, std::span<const std::byte> out, std::size_t from,
                           std::span<std::byte> in) = 0;
  virtual void do_broadcast(std::size_t root, std::span<std::byte> data) = 0;

  Traffic traffic_;
};

// One process that has no others.
Communicator& single_process();

}  // namespace strata
