// Full and per-layer evaluations on 32614 x 12 random rows (13 with the constant), double. Every figure is a ratio to
// something measured in turns with it, because machines are noisy:
//   of_peak      floating-point operations per second over those of a register-only multiply-add loop
//   of_share     one layer's time over its share of the operations of the full evaluation
//   of_float64   the time of passes in single precision over that of the same in double
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "strata/objective/objective.h"
#include "support/peak.h"
#include "support/problem.h"
#include "support/timing.h"

namespace strata::bench {
namespace {

// Multiply-adds of f and gradient: forward, backward and weight gradient, the first layer having no backward pass.
// The usual count, 6 P n, charges that pass too; the fraction of peak uses it to be comparable with published figures.
double full_flops(const Network& network) { return 6.0 * rows * static_cast<double>(network.size()); }

void full_evaluation(benchmark::State& state, const Hidden& hidden) {
  Problem p(hidden);
  std::vector<double> ratios;
  p.objective.value_and_gradient(p.gradient);
  for (auto _ : state) {
    const double time =
        seconds([&] { benchmark::DoNotOptimize(p.objective.value_and_gradient(p.gradient)); });
    state.SetIterationTime(time);
    double flops = 0;
    const double peak_time = seconds([&] { flops = register_only_multiply_adds(400000); });
    ratios.push_back(full_flops(p.network) / time / (flops / peak_time));
  }
  state.counters["of_peak"] = median(ratios);
  state.counters["GFlops"] =
      benchmark::Counter(full_flops(p.network) * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

double weights_from(const Network& network, std::size_t l) {
  return static_cast<double>(network.size({l, network.layers() - 1}));
}

// Operations of layer l alone, from its cached input: forward of l and later, backward of those after l, one weight
// gradient: every weight from l on is used twice. The full evaluation also forms the other weight gradients.
double layer_flops(const Network& network, std::size_t l) { return 4 * rows * weights_from(network, l); }
double exact_full_flops(const Network& network) {
  return rows * (4 * weights_from(network, 0) + 2 * weights_from(network, 1));
}

void one_layer(benchmark::State& state, const Hidden& hidden, std::size_t layer) {
  Problem p(hidden);
  const Block block{layer, layer};
  BlockObjective f = p.objective.open(block);
  const auto w = std::as_const(p.network).weights(block);
  Vector g(f.size());
  std::vector<double> ratios;
  for (auto _ : state) {
    const double full =
        seconds([&] { benchmark::DoNotOptimize(p.objective.value_and_gradient(p.gradient)); });
    const double time = seconds([&] { benchmark::DoNotOptimize(f.value_and_gradient(w, g)); });
    state.SetIterationTime(time);
    ratios.push_back(time / (full * layer_flops(p.network, layer) / exact_full_flops(p.network)));
  }
  state.counters["of_share"] = median(ratios);
}

// After its first pass the output layer costs the same for any number of rows.
void output_layer(benchmark::State& state, std::size_t count) {
  Problem p(Hidden(5, 50), 1, count);
  BlockObjective f = p.objective.open(p.network.output_layer());
  f.use_quadratic_form();
  Vector g(f.size());
  const auto w = std::as_const(p.network).weights(f.block());
  for (auto _ : state) benchmark::DoNotOptimize(f.value_and_gradient(w, g));
}

// Passes over 1024 rows, a first minibatch of block Gauss-Newton: value and gradient of all weights; then a
// linearisation of a hidden layer in the middle and six products with it.
struct Passes {
  Passes(Problem& p, Precision precision)
      : objective(p.network, p.packed, {.l2 = 1e-8, .precision = precision}),
        middle{p.network.layers() / 2, p.network.layers() / 2},
        all(p.network.size()),
        hv(p.network.size(middle)) {}
  void evaluate() { benchmark::DoNotOptimize(objective.value_and_gradient(all)); }
  void gauss_newton() {
    BlockObjective f = objective.open(middle);
    const LocalModel model = f.model();
    for (int i = 0; i < 6; ++i) model.times(model.gradient(), hv);
    benchmark::DoNotOptimize(hv.data());
  }
  Objective objective;
  Block middle;
  Vector all, hv;
};

void single_precision(benchmark::State& state, const Hidden& hidden, void (Passes::*pass)()) {
  Problem p(hidden, 1, 1024);
  Passes single(p, Precision::float32);
  Passes twice(p, Precision::float64);
  std::vector<double> ratios;
  const auto time_of = [pass](Passes& passes) {
    return seconds([&] {
      for (int i = 0; i < 10; ++i) (passes.*pass)();
    });
  };
  for (auto _ : state) {
    const double reference = time_of(twice);
    const double time = time_of(single);
    state.SetIterationTime(time);
    ratios.push_back(time / reference);
  }
  state.counters["of_float64"] = median(ratios);
}

void register_all() {
  for (const auto& [name, hidden] : networks) {
    benchmark::RegisterBenchmark(("full/" + name).c_str(), full_evaluation, hidden)
        ->UseManualTime()
        ->Iterations(30)
        ->Unit(benchmark::kMillisecond);
  }
  for (const auto& name : {"5x50", "10x50"}) {
    const Hidden hidden(name[0] == '5' ? 5 : 10, 50);
    for (std::size_t l = 0; l < hidden.size(); ++l)
      benchmark::RegisterBenchmark((std::string("layer/") + name + "/" + std::to_string(l)).c_str(),
                                   one_layer, hidden, l)
          ->UseManualTime()
          ->Iterations(15)
          ->Unit(benchmark::kMillisecond);
  }
  for (const auto& [name, hidden] : networks) {
    for (const auto& [kind, pass] :
         {std::pair("evaluation/", &Passes::evaluate), std::pair("gauss_newton/", &Passes::gauss_newton)})
      benchmark::RegisterBenchmark(("float32/" + (kind + name)).c_str(), single_precision, hidden, pass)
          ->UseManualTime()
          ->Iterations(30)
          ->Unit(benchmark::kMillisecond);
  }
  for (const std::size_t count : {2000U, 32614U})
    benchmark::RegisterBenchmark(("output_layer/rows:" + std::to_string(count)).c_str(), output_layer, count)
        ->Unit(benchmark::kMicrosecond);
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  strata::bench::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
