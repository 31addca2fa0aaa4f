// Element-wise updates beside the gradient they use: 5x50, batch 32, one thread, processor time.
//   share    of a step that the update takes: update / (gradient + update)
//   speed_up plain loop over the kernel
#include <benchmark/benchmark.h>

#include <utility>

#include "kernels/steps.h"
#include "support/problem.h"

namespace strata::bench {
namespace {

// What a step changes: the gradient's owner with its weights, and two vectors that the update remembers.
using Step = void (*)(const StepKernels& kernels, Problem& problem, Vector& first, Vector& second);

void measure(benchmark::State& state, Step step) {
  constexpr std::size_t batch = 32;
  constexpr int repetitions = 200;
  Problem problem(Hidden(5, 50), 1, batch);
  Vector first(problem.network.size(), 0.0), second(problem.network.size(), 0.0);
  const auto update = [&](const StepKernels& kernels) {
    return seconds([&] {
      for (int i = 0; i < repetitions; ++i) step(kernels, problem, first, second);
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
  using namespace strata;
  using bench::Problem;
  constexpr double rate = 1e-9;  // the weights stay where they are
  const std::pair<const char*, bench::Step> steps[] = {
      {"adam",
       [](const StepKernels& kernels, Problem& p, Vector& m, Vector& v) {
         kernels.adam({.beta1 = 0.9, .beta2 = 0.999, .rate = rate, .root_scale = 1, .epsilon = 1e-8},
                      p.gradient, m, v, p.network.weights());
       }},
      {"gradient", [](const StepKernels& kernels, Problem& p, Vector&,
                      Vector&) { kernels.gradient(-rate, p.gradient, p.network.weights()); }},
      {"svrg", [](const StepKernels& kernels, Problem& p, Vector& snapshot,
                  Vector& full) { kernels.svrg(rate, p.gradient, snapshot, full, p.network.weights()); }},
      {"saga", [](const StepKernels& kernels, Problem& p, Vector& row, Vector& mean) {
         kernels.saga(rate, 1e-3, p.gradient, row, mean, p.network.weights());
       }}};
  for (const auto& [name, step] : steps)
    benchmark::RegisterBenchmark(name, bench::measure, step)
        ->UseManualTime()
        ->Iterations(30)
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
