// Samples per second of the minibatch methods in both precisions: mv's shape (32614 x 12, constant input), 5x50, batch 32, one
// thread. Names are method/precision.
//   samples_per_second   of the method's own time, in processor time of this thread
#include <benchmark/benchmark.h>

#include <string>

#include "strata/trainers/method_options.h"
#include "strata/trainers/presets.h"
#include "support/timing.h"

namespace strata::bench {
namespace {

void epochs(benchmark::State& state, const std::string& method, const std::string& precision) {
  constexpr std::size_t rows = 32614;
  const Dataset data = random_data(rows, 12);
  Network network({.inputs = 12, .hidden = std::vector<std::size_t>(5, 50), .bias = Bias::input});
  initialise(network, {.kind = Initialisation::uniform}, RandomStream(2));
  Scheme scheme = preset(method, network.layers(), {{"precision", precision}});
  constexpr std::size_t sweeps = 4;
  scheme.stopping.max_sweeps = sweeps;
  scheme.reporting.every_sweeps = 0;
  double time = 0;
  for (auto _ : state) {
    const TrainingResult result =
        train(network, data, scheme, {.objective = {.l2 = 1e-8}, .clock = cpu_clock});
    state.SetIterationTime(result.seconds);
    time += result.seconds;
  }
  state.counters["samples_per_second"] = static_cast<double>(rows * sweeps * state.iterations()) / time;
}

void register_all() {
  for (const std::string method : {"ig", "bling", "adam"})
    for (const std::string precision : {"float64", "float32"})
      benchmark::RegisterBenchmark((method + "/" + precision).c_str(), epochs, method, precision)
          ->UseManualTime()
          ->Iterations(3)
          ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  strata::bench::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
