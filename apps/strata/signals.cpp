#include "signals.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace app {

namespace {

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free,
              "a signal handler may use lock-free atomics only");
std::atomic<int> requested_signal{0};
std::atomic<const char*> unfinished_file{nullptr};

void note(int signal) {
  if (requested_signal.exchange(signal) != 0) ::_exit(128 + signal);
}

void clean_up_and_die(int signal) {
  remove_unfinished_file();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

}  // namespace

void ignore_writing_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

PoliteInterrupts::PoliteInterrupts() { handle(note); }
PoliteInterrupts::~PoliteInterrupts() { handle(SIG_DFL); }

int PoliteInterrupts::exit_code() {
  const int signal = requested_signal.load();
  return signal == 0 ? 0 : 128 + signal;
}

void remove_unfinished_file() {
  const char* const path = unfinished_file.exchange(nullptr);
  if (path != nullptr) ::unlink(path);
}

void remove_when_killed(const char* path) {
  unfinished_file.store(path);
  handle(path != nullptr ? clean_up_and_die : SIG_DFL);
}

}  // namespace app
