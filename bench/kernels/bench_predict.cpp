// What a prediction costs: one row by itself, and a million rows on one thread and on two. 13 inputs, three hidden layers
// of 50: one network of plain numbers, and six members that read numbers through knots, as `strata train` makes them. Processor time of
// the calling thread for one row; wall-clock time for a million, and the processor time of all threads as "cpu_s".
#include <benchmark/benchmark.h>

#include <chrono>

#include "strata/core/clock.h"
#include "strata/core/random.h"
#include "strata/model/fit.h"
#include "strata/model/predict.h"

namespace strata::bench {
namespace {

constexpr std::size_t inputs = 13;

Vector random_numbers(std::size_t size) {
  Vector numbers(size);
  RandomStream random(1);
  for (double& x : numbers) x = random.uniform(-1, 1);
  return numbers;
}

Model trained(std::size_t rows, std::size_t members, std::size_t knots) {
  const Vector x = random_numbers(rows * inputs);
  FitOptions options;
  options.hidden = {50, 50, 50};
  options.members = members;
  options.knots = knots;
  options.limits.sweeps = 1;
  const NumericRows numbers{{x.data(), rows, inputs}, {x.data(), rows, 1, inputs}};
  const FitHooks hooks;  // of its own: of a temporary one g++ 12 warns that it is not initialised
  return fit(prepare(numbers, options), options, hooks).model;
}

const Model& model() {
  static const Model one = trained(500, 1, 0);
  return one;
}

const Model& members() {
  static const Model six = trained(1000, 6, 48);
  return six;
}

void one_row(benchmark::State& state) {
  const Vector x = random_numbers(inputs);
  double out = 0;
  for (auto _ : state) {
    predict(model(), ConstMatrix(x.data(), 1, inputs), {&out, 1, 1});
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(one_row)->Unit(benchmark::kMicrosecond);

void predict_million(benchmark::State& state, const Model& model) {
  constexpr std::size_t rows = 1'000'000;
  static const Vector x = random_numbers(rows * inputs);
  Vector out(rows);
  Engine engine({.threads = static_cast<std::size_t>(state.range(0))});
  const Clock processor = processor_clock();
  const double begun = processor();
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    predict(model, ConstMatrix(x.data(), rows, inputs), {out.data(), rows, 1}, engine);
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  state.counters["cpu_s"] = (processor() - begun) / static_cast<double>(state.iterations());
}

void million_rows(benchmark::State& state) { predict_million(state, model()); }
BENCHMARK(million_rows)->ArgName("threads")->Arg(1)->Arg(2)->UseManualTime()->Unit(benchmark::kMillisecond);

void million_rows_six_members(benchmark::State& state) { predict_million(state, members()); }
BENCHMARK(million_rows_six_members)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace strata::bench

BENCHMARK_MAIN();
