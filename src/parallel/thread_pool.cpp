#include "strata/parallel/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace strata {

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable finished;
  std::size_t round = 0;   // grows with every job; workers wait for it to change
  std::size_t active = 0;  // workers still inside the current job
  std::size_t kept;        // workers with this number or a higher one end

  const void* body = nullptr;
  Erased call = nullptr;
  std::size_t tasks = 0;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;  // the first of the current job

  std::vector<std::thread> workers;  // number 1 and on; 0 is the caller

  explicit State(std::size_t threads) : kept(threads) {}

  void take_tasks(std::size_t worker) noexcept {
    for (std::size_t task = next.fetch_add(1); task < tasks; task = next.fetch_add(1)) {
      try {
        call(body, task, worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = tasks;
      }
    }
  }

  void work(std::size_t worker) {
    std::size_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return worker >= kept || round != seen; });
        if (worker >= kept) return;
        seen = round;
      }
      take_tasks(worker);
      const std::lock_guard lock(mutex);
      if (--active == 0) finished.notify_one();
    }
  }

  // False when the system refuses.
  bool add_worker(const Start& start) {
    const std::size_t worker = workers.size() + 1;
    try {
      workers.emplace_back();
      workers.back() = start([this, worker] { work(worker); });
      return true;
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    workers.resize(worker - 1);
    return false;
  }
};

ThreadPool::ThreadPool(std::size_t threads, const Start& start)
    : requested_(threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency())) {
  if (requested_ == 1) return;
  state_ = std::make_unique<State>(requested_);
  while (threads_ < requested_ && state_->add_worker(start)) ++threads_;
  if (threads_ < requested_) keep((threads_ + 1) / 2);
}

ThreadPool::~ThreadPool() {
  if (state_) keep(1);
}

void ThreadPool::keep(std::size_t threads) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->kept = threads;
  }
  state_->wake.notify_all();
  for (std::size_t worker = threads; worker < threads_; ++worker) state_->workers[worker - 1].join();
  state_->workers.resize(threads - 1);
  threads_ = threads;
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
  if (state.failure) std::rethrow_exception(std::exchange(state.failure, nullptr));
}

}  // namespace strata
