#include "strata/parallel/engine.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <system_error>
#include <utility>

#include "strata/core/errors.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

// 0 for any other word.
double unit_in_bytes(std::string_view unit) {
  constexpr double kilo = 1e3, kibi = 1024;
  constexpr std::pair<std::string_view, double> units[] = {{"", 1},
                                                           {"B", 1},
                                                           {"kB", kilo},
                                                           {"MB", kilo * kilo},
                                                           {"GB", kilo * kilo * kilo},
                                                           {"TB", kilo * kilo * kilo * kilo},
                                                           {"KiB", kibi},
                                                           {"MiB", kibi * kibi},
                                                           {"GiB", kibi * kibi * kibi},
                                                           {"TiB", kibi * kibi * kibi * kibi}};
  for (const auto& [name, bytes] : units)
    if (name == unit) return bytes;
  return 0;
}

std::size_t most_by_user_limits() {
  std::size_t most = RLIM_INFINITY;
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA})
    if (rlimit limit{}; getrlimit(resource, &limit) == 0) most = std::min<std::size_t>(most, limit.rlim_cur);
  return most;
}

// A file that holds a number, or the word "max".
std::size_t most_by_container(const char* file) {
  std::size_t bytes = 0;
  return std::ifstream(file) >> bytes ? bytes : RLIM_INFINITY;
}

// Processes that share this machine and its memory.
std::size_t processes_here(Communicator& processes) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return static_cast<std::size_t>(std::ranges::count(all_gather(processes, host), host));
}

std::size_t memory_of(const EngineOptions& options) {
  Communicator& processes = *options.processes;
  const std::size_t by_default = default_memory() / processes_here(processes);
  const std::size_t own = options.memory > 0 ? options.memory : by_default;
  // What fits decides how work is done and counted: all must decide alike.
  const auto all = all_gather(processes, own);
  return *std::min_element(all.begin(), all.end());
}

}  // namespace

bool MemoryBudget::change(std::size_t from, std::size_t to) {
  std::size_t used = used_;
  do {
    if (to > from && to - from > bytes_ - used) return false;
  } while (!used_.compare_exchange_weak(used, used - from + to));
  return true;
}

bool MemoryShare::grow_to(std::size_t bytes) {
  if (bytes <= bytes_) return true;
  if (!budget_->change(bytes_, bytes)) return false;
  bytes_ = bytes;
  return true;
}

void MemoryShare::require(std::size_t bytes) {
  if (grow_to(bytes)) return;
  constexpr double mega = 1e6;
  const std::size_t in_all = budget_->bytes() - budget_->left() - bytes_ + bytes;
  throw InvalidOption("memory", fmt::format("{:.4g}MB", static_cast<double>(budget_->bytes()) / mega),
                      fmt::format("the rows alone take {:.4g}MB; allow more, or use fewer rows",
                                  static_cast<double>(in_all) / mega));
}

std::size_t default_memory() {
  const std::size_t machine =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return std::min({machine, most_by_user_limits(), most_by_container("/sys/fs/cgroup/memory.max"),
                   most_by_container("/sys/fs/cgroup/memory/memory.limit_in_bytes")}) /
         2;
}

std::size_t memory_from(std::string_view text) {
  double count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const double bytes = count * unit_in_bytes({end, text.data() + text.size()});
  constexpr double most = 1e18;
  if (error != std::errc() || !(bytes >= 1 && bytes <= most))
    throw InvalidOption("memory", text, "use a size above 0 such as 500MB, 2GB or 1.5GiB");
  return static_cast<std::size_t>(bytes);
}

Engine::Engine(const EngineOptions& options)
    : processes_(options.processes), threads_(options.threads), memory_(memory_of(options)) {}

Engine& serial_engine() {
  static Engine engine({});
  return engine;
}

}  // namespace strata
