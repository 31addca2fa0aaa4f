#include "engine.h"

#include <fmt/format.h>

#include <iostream>

#include "terminal.h"

namespace app {

strata::EngineOptions engine_options(const Settings& settings, strata::Communicator& processes) {
  return {.threads = threads(settings),
          .processes = &processes,
          .memory = settings.has("memory") ? strata::memory_from(settings.text("memory")) : 0};
}

void say_if_threads_are_missing(strata::Engine& engine) {
  const strata::ThreadPool& pool = engine.threads();
  if (pool.threads() == pool.requested()) return;
  std::cerr << paint(Paint::error, "strata:")
            << fmt::format(" {} threads could not be started; going on with {}\n", pool.requested(),
                           pool.threads());
}

}  // namespace app
