// What the block-aware evaluation saves: one B2LD sweep on mv's shape with 10x50, at most 30 iterations a layer, against
// thirty full evaluations of f and gradient per layer, which a method that knows nothing of layers would pay.
//   of_full   time of the sweep over the time of 30 x 11 full evaluations
#include <benchmark/benchmark.h>

#include "strata/objective/objective.h"
#include "strata/trainers/presets.h"
#include "support/timing.h"

namespace strata::bench {
namespace {

constexpr std::size_t rows = 32614;

Network deep_network() {
  Network network({.inputs = 12, .hidden = std::vector<std::size_t>(10, 50), .bias = Bias::input});
  initialise(network, {.kind = Initialisation::uniform}, RandomStream(2));
  return network;
}

void sweep(benchmark::State& state) {
  const Dataset data = random_data(rows, 12);
  const PackedRows packed(data);
  for (auto _ : state) {
    Network network = deep_network();
    Objective objective(network, packed, {.l2 = 1e-8});
    Vector gradient(network.size());
    std::vector<double> times(7);
    for (double& time : times)
      time = seconds([&] { benchmark::DoNotOptimize(objective.value_and_gradient(gradient)); });
    const double full = median(times);

    Scheme scheme = b2ld();
    scheme.tolerance.first = 1e-12;  // no layer is skipped, none stops early
    scheme.stopping = {.max_sweeps = 1};
    const TrainingResult result =
        train(network, data, scheme, {.objective = {.l2 = 1e-8}, .clock = cpu_clock});
    state.SetIterationTime(result.seconds);
    std::size_t iterations = 0;
    for (const std::size_t n : result.updates_per_layer) iterations += n;
    state.counters["iterations"] = static_cast<double>(iterations);
    state.counters["evaluations"] = static_cast<double>(result.work.evaluations);
    state.counters["full_evaluation_ms"] = 1e3 * full;
    state.counters["of_full"] = result.seconds / (full * 30 * static_cast<double>(network.layers()));
  }
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("b2ld_sweep/mv_10x50", strata::bench::sweep)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kSecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
