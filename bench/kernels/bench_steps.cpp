// Element-wise updates beside the gradient they use: 5x50, batch 32, one thread, processor time.
//   share    of a step that the update takes: update / (gradient + update)
//   speed_up plain loop over the kernel
#include <benchmark/benchmark.h>

#include "kernels/steps.h"
#include "support/problem.h"

namespace strata::bench {
namespace {

void adam(benchmark::State& state) {
  constexpr std::size_t batch = 32;
  constexpr int repetitions = 200;
  Problem problem(Hidden(5, 50), 1, batch);
  Vector m(problem.network.size(), 0.0), v(problem.network.size(), 0.0);
  const AdamStep step{.beta1 = 0.9, .beta2 = 0.999, .rate = 1e-9, .root_scale = 1, .epsilon = 1e-8};
  const auto update = [&](const StepKernels& kernels) {
    return seconds([&] {
      for (int i = 0; i < repetitions; ++i)
        kernels.adam(step, problem.gradient, m, v, problem.network.weights());
    });
  };
  std::vector<double> shares, ratios;
  for (auto _ : state) {
    const double gradient = seconds([&] {
      for (int i = 0; i < repetitions; ++i)
        benchmark::DoNotOptimize(problem.objective.value_and_gradient(problem.gradient));
    });
    const double fast = update(simd_steps());
    const double plain = update(reference_steps());
    state.SetIterationTime(fast);
    shares.push_back(fast / (gradient + fast));
    ratios.push_back(plain / fast);
  }
  state.counters["share"] = median(shares);
  state.counters["speed_up"] = median(ratios);
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("adam", strata::bench::adam)
      ->UseManualTime()
      ->Iterations(30)
      ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
