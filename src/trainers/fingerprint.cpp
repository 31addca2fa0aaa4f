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

// A sum over the rows, each hashed with its number: the same however processes share them. numbers(panel) is a panel with a
// column for each row.
template <class Numbers>
std::string hash(const PackedRows& rows, const Numbers& numbers) {
  std::uint64_t sum = 0;
  for (const std::size_t panel : rows.own_panels()) {
    const ConstMatrix columns = numbers(panel);
    for (std::size_t j = 0; j < rows.samples(panel); ++j) {
      std::uint64_t row = mix(rows.first_row(panel) + j + 1);
      for (std::size_t f = 0; f < columns.rows(); ++f)
        row = mix(row ^ std::bit_cast<std::uint64_t>(columns(f, j)));
      sum += row;
    }
  }
  std::uint64_t total = 0;
  for (const std::uint64_t part : all_gather(rows.engine().processes(), sum)) total += part;
  return fmt::format("hash {:016x}", total);
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

void put_rows(State& state, const std::string& prefix, const PackedRows* rows) {
  const auto put_hash = [&](const char* name, bool there, const auto& numbers) {
    put(state, prefix + name, there ? hash(*rows, numbers) : "none");
  };
  put_hash("inputs", rows != nullptr, [rows](std::size_t panel) {
    const ConstMatrix in = rows->inputs(panel);
    return ConstMatrix(in.data(), rows->features(), in.columns(), in.stride());
  });
  put_hash("targets", rows != nullptr, [rows](std::size_t panel) { return rows->targets(panel); });
  put_hash("weights", rows != nullptr && rows->weighted(), [rows](std::size_t panel) {
    return ConstMatrix(rows->row_weights().data() + rows->first_row(panel), 1, rows->samples(panel));
  });
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

void put_fingerprint(State& state, const Network& network, const TrainingRows& rows, const Scheme& scheme,
                     const TrainOptions& options) {
  put(state, "network", describe(network.architecture()));
  put(state, "rows", rows.training.rows());
  put_rows(state, "", &rows.training);
  put_rows(state, "validation.", rows.validation);
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
