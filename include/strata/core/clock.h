#pragma once

#include <chrono>
#include <functional>

namespace strata {

// Time comes in as an argument: tests hand in a clock they control.
using Clock = std::function<double()>;  // seconds since some fixed moment, never decreasing

inline Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
}

}  // namespace strata
