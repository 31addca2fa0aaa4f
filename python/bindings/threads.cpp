// How many threads a call may use: what it asks for, at most what threadpoolctl allows.
#include <atomic>

#include "module.h"

namespace {

std::atomic<int> most_threads{0};  // 0: no limit was set

}  // namespace

// threadpoolctl finds these two by name (strata/_threads.py).
extern "C" {
__attribute__((visibility("default"))) int strata_get_thread_limit() { return most_threads; }
__attribute__((visibility("default"))) void strata_set_thread_limit(int threads) { most_threads = threads; }
}

namespace bindings {

void add_threads(nanobind::module_& module) {
  module.def("thread_limit", &strata_get_thread_limit, "The limit set from outside; 0: none.");
}

}  // namespace bindings
