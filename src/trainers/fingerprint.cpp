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
  std::uint64_t columns = 0;
  for (const ColumnBasis& column : architecture.columns) {
    columns = mix(columns ^ (static_cast<std::uint64_t>(column.kind) * 2 + (column.missing ? 1 : 0)));
    columns = mix(columns ^ column.categories);
    for (const double knot : column.knots) columns = mix(columns ^ std::bit_cast<std::uint64_t>(knot));
    for (const double at_knot : column.line) columns = mix(columns ^ std::bit_cast<std::uint64_t>(at_knot));
    if (!column.sum) continue;
    for (const std::size_t input : column.sum->inputs) columns = mix(columns ^ input);
    for (const double factor : column.sum->factors)
      columns = mix(columns ^ std::bit_cast<std::uint64_t>(factor));
  }
  if (!architecture.columns.empty())
    text += fmt::format(", columns {:016x}, bend {}", columns, architecture.bend);
  if (architecture.is_radial(0)) text += fmt::format(", radial width {}", architecture.radial_width);
  return text;
}

template <class T>
void put(State& state, std::string_view name, const T& value) {
  state.put(name, fmt::format("{}", value));
}

void put_rows(State& state, const std::string& prefix, const PackedRows* rows) {
  const auto put_hash = [&](const char* name, bool there, const auto& numbers) {
    put(state, prefix + name, there ? hash(*rows, numbers) : "none");
  };
  Vector packed;
  put_hash("inputs", rows != nullptr, [rows, &packed](std::size_t panel) {
    const ConstMatrix in = rows->inputs(panel, packed);
    return ConstMatrix(in.data(), rows->features(), in.columns(), in.stride());
  });
  put_hash("targets", rows != nullptr, [rows](std::size_t panel) { return rows->targets(panel); });
  put_hash("weights", rows != nullptr && rows->weighted(), [rows](std::size_t panel) {
    const std::size_t before = rows->first_row(panel) - rows->first_row(rows->own_panels().front());
    return ConstMatrix(rows->row_weights().data() + before, 1, rows->samples(panel));
  });
}

// Every part by the name of its kind and its fields, but for the limits, which may be raised.
void put_scheme(State& state, Scheme scheme) {
  put(state, "method", scheme.name);
  scheme.parts([&state]<class Part>(const std::string& name, Part& part) {
    if constexpr (Kinded<Part>) put(state, name, kind_of(part));
    for_each_field(part, [&](const Field& field, const auto& value) {
      if (!field.bound.is_limit) put(state, fmt::format("{}.{}", name, field.name), text_of(field, value));
    });
  });
}

// What a user calls it: the name of the option where there is one.
std::string shown(std::string_view entry, Scheme scheme) {
  std::string text(entry);
  scheme.parts([&](const std::string& name, auto& part) {
    for_each_field(part, [&](const Field& field, const auto&) {
      if (!field.option.empty() && entry == fmt::format("{}.{}", name, field.name)) text = field.option;
    });
  });
  return text;
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
  put(state, "kernels", name_of(options.objective.kernels));
  put(state, "seed", options.seed);
  put(state, "average", options.validation.average);
  put_scheme(state, scheme);
}

void require_same(const State& saved, const State& now, const Scheme& scheme) {
  const auto compare = [&](std::string_view name) {
    const std::string& wanted = saved.text(name);
    if (now.text(name) != wanted)
      throw InvalidOption(
          shown(name, scheme), now.text(name),
          fmt::format("the run to resume was started with '{}'; use the same, or start a new run", wanted));
  };
  for (const char* name : {"method", "network", "rows"}) compare(name);  // others differ because these do
  for (const auto& entry : now.values()) compare(entry.first);
}

}  // namespace strata
