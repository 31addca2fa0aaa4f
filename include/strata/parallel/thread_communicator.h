#pragma once

#include <cstddef>
#include <functional>

#include "strata/parallel/communicator.h"

namespace strata {

// Runs `body` once for each of `processes` threads that play processes of their own: what is written for many machines
// can be tried in one. If one of them throws, those that wait for it are woken and end too, and its exception is thrown.
void run_as_processes(std::size_t processes, const std::function<void(Communicator&)>& body);

}  // namespace strata
