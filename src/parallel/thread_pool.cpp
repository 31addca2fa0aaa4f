#include "strata/parallel/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace strata {

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable finished;
  std::size_t round = 0;   // grows with every job; workers wait for it to change
  std::size_t active = 0;  // workers still inside the current job
  bool stopping = false;

  const void* body = nullptr;
  Erased call = nullptr;
  std::size_t tasks = 0;
  std::atomic<std::size_t> next{0};

  std::vector<std::thread> workers;

  void take_tasks(std::size_t worker) {
    for (std::size_t task = next.fetch_add(1); task < tasks; task = next.fetch_add(1))
      call(body, task, worker);
  }

  void work(std::size_t worker) {
    std::size_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return stopping || round != seen; });
        if (stopping) return;
        seen = round;
      }
      take_tasks(worker);
      const std::lock_guard lock(mutex);
      if (--active == 0) finished.notify_one();
    }
  }
};

ThreadPool::ThreadPool(std::size_t threads)
    : threads_(threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency())) {
  if (threads_ == 1) return;
  state_ = std::make_unique<State>();
  for (std::size_t worker = 1; worker < threads_; ++worker)
    state_->workers.emplace_back([this, worker] { state_->work(worker); });
}

ThreadPool::~ThreadPool() {
  if (!state_) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

void ThreadPool::run_shared(std::size_t tasks, const void* body, Erased call) {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    state.body = body;
    state.call = call;
    state.tasks = tasks;
    state.next = 0;
    state.active = state.workers.size();
    ++state.round;
  }
  state.wake.notify_all();
  state.take_tasks(0);
  std::unique_lock lock(state.mutex);
  state.finished.wait(lock, [&] { return state.active == 0; });
}

}  // namespace strata
