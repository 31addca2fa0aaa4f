// Full evaluations with two threads against one, in turns, by the wall clock.
//   speed_up   time with one thread over time with two
#include <benchmark/benchmark.h>

#include "support/problem.h"

namespace strata::bench {
namespace {

void two_threads(benchmark::State& state, const Hidden& hidden) {
  Problem one(hidden, 1);
  Problem two(hidden, 2);
  const auto time = [](Problem& p) {
    return seconds([&p] { benchmark::DoNotOptimize(p.objective.value_and_gradient(p.gradient)); },
                   wall_clock);
  };
  std::vector<double> ratios;
  for (auto _ : state) {
    const double with_one = time(one);
    const double with_two = time(two);
    state.SetIterationTime(with_two);
    ratios.push_back(with_one / with_two);
  }
  state.counters["speed_up"] = median(ratios);
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  for (const auto& [name, hidden] : strata::bench::networks)
    benchmark::RegisterBenchmark(("two_threads/" + name).c_str(), strata::bench::two_threads, hidden)
        ->UseManualTime()
        ->Iterations(20)
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
