// Loaded before the program (LD_PRELOAD): one allocation fails, the one that comes after STRATA_FAIL_AFTER others. Counting
// starts in main, with the program's first call of signal(): before that nobody could report a failure. What was counted is
// written to the file STRATA_FAIL_COUNT when the program ends. A program that is not ours (Python) starts and ends the counting
// itself, with strata_fail_after and strata_fail_count.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<bool> counting{false};
std::atomic<long> calls{0};
std::atomic<long> fails_after{-1};

// nanobind converts arguments where no exception may pass: what the Python module itself takes is spared.
bool is_of_the_python_module() {
  void* frames[16];
  const int count = ::backtrace(frames, 16);
  for (int i = 0; i < count; ++i) {
    Dl_info place;
    if (::dladdr(frames[i], &place) == 0 || std::strstr(place.dli_fname, "fail_malloc") != nullptr ||
        std::strstr(place.dli_fname, "libstdc++") != nullptr)
      continue;
    return std::strstr(place.dli_fname, "/_strata.") != nullptr;
  }
  return false;
}

bool fails() {
  if (!counting.load(std::memory_order_relaxed)) return false;
  if (calls.fetch_add(1, std::memory_order_relaxed) != fails_after.load(std::memory_order_relaxed))
    return false;
  if (is_of_the_python_module()) return false;
  errno = ENOMEM;
  return true;
}

void report() {
  counting = false;
  const char* const file = std::getenv("STRATA_FAIL_COUNT");
  if (file == nullptr) return;
  const int descriptor = ::open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%ld\n", calls.load());
  if (descriptor < 0 || ::write(descriptor, text, static_cast<std::size_t>(length)) != length) ::_exit(99);
  ::close(descriptor);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return fails() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* memory, std::size_t size) { return fails() ? nullptr : __libc_realloc(memory, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  if (fails()) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

void strata_fail_after(long point) {  // below zero: none fails
  is_of_the_python_module();          // takes memory the first time
  calls = 0;
  fails_after = point;
  counting = true;
}
long strata_fail_count() {
  counting = false;
  return calls;
}

using Handler = void (*)(int);
Handler signal(int number, Handler handler) noexcept {
  static const auto real = reinterpret_cast<Handler (*)(int, Handler)>(::dlsym(RTLD_NEXT, "signal"));
  const char* const after = std::getenv("STRATA_FAIL_AFTER");
  is_of_the_python_module();
  if (after != nullptr && !counting.exchange(true)) {
    fails_after = std::strtol(after, nullptr, 10);
    std::atexit(report);
  }
  return real(number, handler);
}
}
