#pragma once

#include <chrono>
#include <ctime>
#include <functional>

namespace strata {

// Time comes in as an argument: tests hand in a clock they control.
using Clock = std::function<double()>;  // seconds since some fixed moment, never decreasing

inline Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
}

// The processor's time for this program instead: for measurements on a machine that also does other things.
inline Clock processor_clock() {
  return [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
}

// That of the calling thread alone: for several measurements at a time, each in a thread of its own.
inline Clock thread_clock() {
  return [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
}

}  // namespace strata
