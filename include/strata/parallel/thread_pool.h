#pragma once

#include <cstddef>
#include <memory>

namespace strata {

// Threads that wait for work. run(tasks, body) calls body(task, worker) once for each task 0 .. tasks-1 and returns
// when all are done; worker < threads() names the scratch space a task may use. Which worker takes which task is not
// defined: results must not depend on it. With one thread, or one task, everything happens in the caller.
class ThreadPool {
 public:
  explicit ThreadPool(std::size_t threads);  // 0: one per core
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] std::size_t threads() const { return threads_; }

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

 private:
  using Erased = void (*)(const void* body, std::size_t task, std::size_t worker);
  void run_shared(std::size_t tasks, const void* body, Erased call);

  struct State;
  std::size_t threads_;
  std::unique_ptr<State> state_;
};

}  // namespace strata
