// Blocks of neurons against blocks of layers: one sweep of neuron-wise, with some neurons in a block, and one of b2ld, three L-BFGS
// iterations for every block of either. All weights are moved as often in both, so that the ratios are those of an update.
//   passes_of_b2ld   passes of the rows through a layer, forward, backward or for weight gradients; a part counts as its share
//   time_of_b2ld     processor time
#include <benchmark/benchmark.h>

#include <string>

#include "strata/trainers/presets.h"
#include "support/problem.h"

namespace strata::bench {
namespace {

constexpr std::size_t few_rows = 2048;

struct Sweep {
  double passes;
  double seconds;
};

Sweep sweep(Problem& problem, Scheme scheme) {
  scheme.updates.hidden = lbfgs({.solver = {.max_iterations = 3, .gradient_tolerance = 0}});
  scheme.tolerance = {};
  scheme.stopping = {.max_sweeps = 1};
  scheme.reporting.steps = false;
  Network network(problem.network);
  const TrainingResult result =
      train(network, {problem.packed}, scheme,
            {.objective = {.l2 = 1e-8}, .engine = &problem.engine, .clock = processor_clock()});
  const Work& work = result.work;
  return {static_cast<double>(work.forward + work.backward + work.weight_gradient) / few_rows,
          result.seconds};
}

void against_b2ld(benchmark::State& state, const Hidden& hidden, std::size_t group) {
  Problem problem(hidden, 1, few_rows);
  Scheme parts = neuron_wise();
  parts.selection = neuron_groups({.group = group});
  for (auto _ : state) {
    const Sweep layers = sweep(problem, b2ld());
    const Sweep neurons = sweep(problem, parts);
    state.SetIterationTime(neurons.seconds);
    state.counters["passes_of_b2ld"] = neurons.passes / layers.passes;
    state.counters["time_of_b2ld"] = neurons.seconds / layers.seconds;
  }
}

const int registered = [] {
  for (const auto& [name, hidden] : networks)
    for (const std::size_t group : {1, 10, 50})
      benchmark::RegisterBenchmark((name + "/group_" + std::to_string(group)).c_str(), against_b2ld, hidden,
                                   group)
          ->Unit(benchmark::kMillisecond)
          ->UseManualTime()
          ->Iterations(1);
  return 0;
}();

}  // namespace
}  // namespace strata::bench

BENCHMARK_MAIN();
