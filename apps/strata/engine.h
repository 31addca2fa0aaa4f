#pragma once

#include "settings.h"
#include "strata/parallel/engine.h"

namespace app {

// What --threads and --memory ask for.
strata::EngineOptions engine_options(const Settings& settings,
                                     strata::Communicator& processes = strata::single_process());

// One sentence on standard error where the system gave fewer threads than were asked for.
void say_if_threads_are_missing(strata::Engine& engine);

}  // namespace app
