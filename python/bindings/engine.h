#pragma once

#include <nanobind/nanobind.h>

#include "strata/parallel/engine.h"

namespace bindings {

// Warns (RuntimeWarning) where the system gave fewer threads than were asked for. With the interpreter's lock.
inline void warn_if_threads_are_missing(strata::Engine& engine) {
  const strata::ThreadPool& pool = engine.threads();
  if (pool.threads() < pool.requested() &&
      PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%zu threads could not be started; going on with %zu",
                       pool.requested(), pool.threads()) < 0)
    throw nanobind::python_error();
}

}  // namespace bindings
