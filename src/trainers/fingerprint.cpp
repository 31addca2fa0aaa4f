#include "trainers/fingerprint.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>

#include "strata/core/errors.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

// Splitmix64's finaliser: every bit of the result depends on every bit of x.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// A sum over the rows, each hashed with its number: the same however processes share them.
std::string hash(ConstMatrix rows, std::size_t first_row, Communicator& processes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::uint64_t row = mix(first_row + i + 1);
    for (const double number : rows.row(i)) row = mix(row ^ std::bit_cast<std::uint64_t>(number));
    sum += row;
  }
  std::uint64_t total = 0;
  for (const std::uint64_t part : all_gather(processes, sum)) total += part;
  return total == 0 ? "none" : fmt::format("hash {:016x}", total);
}

std::string describe(const Architecture& architecture) {
  std::string text = architecture.brief() + ", bias " + std::string(to_string(architecture.bias));
  for (std::size_t l = 0; l < architecture.hidden.size(); ++l)
    text += fmt::format(", {}", to_string(architecture.activation_of(l)));
  return text;
}

template <class T>
void put(State& state, std::string_view name, const T& value) {
  if constexpr (std::is_enum_v<T>)
    state.put(name, fmt::format("{}", static_cast<int>(value)));
  else
    state.put(name, fmt::format("{}", value));
}

void put_data(State& state, const std::string& prefix, const Dataset& data, Communicator& processes) {
  const ConstMatrix weights(data.weights.data(), data.weights.size(), 1);
  put(state, prefix + "inputs", hash(data.x(), data.first_row, processes));
  put(state, prefix + "targets", hash(data.y(), data.first_row, processes));
  put(state, prefix + "weights", hash(weights, data.first_row, processes));
}

void put_acceptance(State& state, const Acceptance& acceptance) {
  put(state, "acceptance", acceptance.conditions ? "at_least_armijo" : "any_decrease");
  const ArmijoAcceptance a = acceptance.conditions.value_or(ArmijoAcceptance{});
  put(state, "acceptance.coefficient", a.coefficient);
  put(state, "acceptance.power", a.power);
  put(state, "acceptance.line_search.first_step", a.line_search.first_step);
  put(state, "acceptance.line_search.decrease", a.line_search.decrease);
  put(state, "acceptance.line_search.shrink", a.line_search.shrink);
  put(state, "acceptance.line_search.max_trials", a.line_search.max_trials);
}

void put_scheme(State& state, const Scheme& scheme) {
  put(state, "method", scheme.name);
  put(state, "batches.size", scheme.batches.size);
  put(state, "batches.partition", scheme.batches.partition);
  put(state, "batches.order", scheme.batches.order);
  put(state, "batches.all_rows_first", scheme.batches.all_rows_first);
  put(state, "batches.skip_short", scheme.batches.skip_short);
  put(state, "batches.grow_below", scheme.batches.grow_below);
  put(state, "batches.precision", scheme.batches.precision);
  put(state, "look_ahead.most_increase", scheme.look_ahead.most_increase);
  put(state, "tolerance.first", scheme.tolerance.first);
  put(state, "tolerance.factor", scheme.tolerance.factor);
  put(state, "tolerance.skip", scheme.tolerance.skip);
  put(state, "step_size.rule", scheme.step_size.rule);
  put(state, "step_size.first", scheme.step_size.first);
  put(state, "step_size.epsilon", scheme.step_size.epsilon);
  put(state, "stopping.gradient_norm", scheme.stopping.gradient_norm);
  put(state, "stopping.gradient_when_idle", scheme.stopping.gradient_when_idle);
  put(state, "stopping.relative_decrease", scheme.stopping.relative_decrease);
  put(state, "reporting.every_sweeps", scheme.reporting.every_sweeps);
  put(state, "reporting.every_seconds", scheme.reporting.every_seconds);
  put(state, "reporting.steps", scheme.reporting.steps);
  put_acceptance(state, scheme.acceptance);
}

}  // namespace

void put_fingerprint(State& state, const Network& network, const Dataset& data, const Scheme& scheme,
                     const TrainOptions& options) {
  put(state, "network", describe(network.architecture()));
  put(state, "rows", data.all_rows());
  Communicator& processes = options.engine->processes();
  put_data(state, "", data, processes);
  put_data(state, "validation.", options.validation.data ? *options.validation.data : Dataset{}, processes);
  put(state, "l2", options.objective.l2);
  put(state, "loss", options.objective.loss->text());
  put(state, "kernels", options.objective.kernels);
  put(state, "seed", options.seed);
  put_scheme(state, scheme);
}

void require_same(const State& saved, const State& now) {
  const auto compare = [&](std::string_view name) {
    const std::string& wanted = saved.text(name);
    if (now.text(name) != wanted)
      throw InvalidOption(
          name, now.text(name),
          fmt::format("the run to resume was started with '{}'; use the same, or start a new run", wanted));
  };
  for (const char* name : {"method", "network", "rows"}) compare(name);  // others differ because these do
  for (const auto& entry : now.values()) compare(entry.first);
}

}  // namespace strata
