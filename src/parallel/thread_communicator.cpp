#include "strata/parallel/thread_communicator.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "strata/core/errors.h"

namespace strata {

namespace {

using Message = std::vector<std::byte>;

// Messages on their way, by sender and receiver.
class Mailroom {
 public:
  explicit Mailroom(std::size_t processes) : processes_(processes), boxes_(processes * processes) {}

  void put(std::size_t from, std::size_t to, Message message) {
    const std::scoped_lock lock(mutex_);
    boxes_[from * processes_ + to].push_back(std::move(message));
    changed_.notify_all();
  }

  Message take(std::size_t from, std::size_t to) {
    std::unique_lock lock(mutex_);
    std::deque<Message>& box = boxes_[from * processes_ + to];
    changed_.wait(lock, [&] { return failure_ || !box.empty(); });
    if (box.empty()) throw Error("another process of the run has failed");
    Message message = std::move(box.front());
    box.pop_front();
    return message;
  }

  // The first exception counts; those of processes that waited for the one that failed follow from it.
  void fail(std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    changed_.notify_all();
  }

  [[nodiscard]] std::exception_ptr failure() const { return failure_; }

 private:
  std::size_t processes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::deque<Message>> boxes_;
  std::exception_ptr failure_;
};

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(Mailroom& mailroom, std::size_t rank, std::size_t size)
      : mailroom_(mailroom), rank_(rank), size_(size) {}

  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return size_; }

 private:
  void do_send(std::size_t to, std::span<const std::byte> message) override {
    mailroom_.put(rank_, to, Message(message.begin(), message.end()));
  }
  void do_receive(std::size_t from, std::span<std::byte> message) override {
    const Message received = mailroom_.take(from, rank_);
    assert(received.size() == message.size());
    std::copy(received.begin(), received.end(), message.begin());
  }
  void do_exchange(std::size_t to, std::span<const std::byte> out, std::size_t from,
                   std::span<std::byte> in) override {
    do_send(to, out);
    do_receive(from, in);
  }
  void do_broadcast(std::size_t root, std::span<std::byte> data) override {
    if (rank_ != root) return do_receive(root, data);
    for (std::size_t to = 0; to < size_; ++to)
      if (to != root) do_send(to, data);
  }

  Mailroom& mailroom_;
  std::size_t rank_;
  std::size_t size_;
};

}  // namespace

void run_as_processes(std::size_t processes, const std::function<void(Communicator&)>& body) {
  Mailroom mailroom(processes);
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < processes; ++rank)
      threads.emplace_back([&mailroom, &body, rank, processes] {
        ThreadCommunicator communicator(mailroom, rank, processes);
        try {
          body(communicator);
        } catch (...) {
          mailroom.fail(std::current_exception());
        }
      });
  }
  if (mailroom.failure()) std::rethrow_exception(mailroom.failure());
}

}  // namespace strata
