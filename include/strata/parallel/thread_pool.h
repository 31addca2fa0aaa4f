#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

namespace strata {

// Threads that wait for work. run(tasks, body) calls body(task, worker) once for each task 0 .. tasks-1 and returns
// when all are done; worker < threads() names the scratch space a task may use. Which worker takes which task is not
// defined: results must not depend on it. With one thread, or one task, everything happens in the caller.
// When a task throws, tasks that were not yet begun are skipped and run throws the first exception; the pool can be used
// again.
class ThreadPool {
 public:
  // How a thread is started. Throws std::system_error when the system has none to give.
  using Start = std::function<std::thread(std::function<void()>)>;

  // With 0, one per core. When the system refuses to start one, the pool has half of those it got: threads take address
  // space and process slots, and the work to come needs some of both.
  explicit ThreadPool(std::size_t threads, const Start& start = start_thread);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] std::size_t threads() const { return threads_; }  // the caller's own included
  [[nodiscard]] std::size_t requested() const {
    return requested_;
  }  // as many, unless the system refused some

  template <class Body>
  void run(std::size_t tasks, const Body& body) {
    if (threads_ == 1 || tasks <= 1) {
      for (std::size_t task = 0; task < tasks; ++task) body(task, std::size_t{0});
      return;
    }
    run_shared(tasks, &body, [](const void* erased, std::size_t task, std::size_t worker) {
      (*static_cast<const Body*>(erased))(task, worker);
    });
  }

  static std::thread start_thread(std::function<void()> work) { return std::thread(std::move(work)); }

 private:
  using Erased = void (*)(const void* body, std::size_t task, std::size_t worker);
  void run_shared(std::size_t tasks, const void* body, Erased call);
  void keep(std::size_t threads);  // ends the others

  struct State;
  std::size_t requested_;
  std::size_t threads_ = 1;
  std::unique_ptr<State> state_;
};

}  // namespace strata
