// A first layer with tables: 100,000 rows of 20 numbers with 48 knots and five columns of 10,000 categories, 100 neurons.
//   of_dense    the time of f and its gradient, and of a Gauss-Newton visit of the first layer (the local model, six products
//               and a trial), over that of a dense network on the same 25 numbers, measured in turns with it
//   megabytes   the peak of the process over what it was before, with rows, weights and all that the visit keeps
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cmath>
#include <utility>
#include <vector>

#include "strata/network/knots.h"
#include "strata/objective/objective.h"
#include "support/timing.h"

namespace strata::bench {
namespace {

constexpr std::size_t rows = 100000;
constexpr std::size_t numbers = 20;
constexpr std::size_t code_columns = 5;
constexpr std::size_t categories = 10000;
constexpr std::size_t knots = 48;

Dataset mixed_data() {
  Dataset data = random_data(rows, numbers + code_columns);
  data.layout.expand = false;
  for (std::size_t c = numbers; c < data.columns(); ++c) {
    data.layout.columns[c].categories = categories;
    for (double& x : data.column(c)) x = std::floor(x * categories);
  }
  return data;
}

class Trainee {
 public:
  Trainee(const Dataset& data, std::vector<ColumnBasis> columns)
      : network_({.inputs = data.columns(), .hidden = {100, 100}, .columns = std::move(columns)}),
        packed_(data, engine_, PackedRows::shards_for(network_)),
        objective_((initialise(network_, {}, RandomStream(2)), network_), packed_, {.l2 = 1e-4}),
        numbers_(network_.size()) {}

  void gradient() { benchmark::DoNotOptimize(objective_.value_and_gradient(numbers_)); }

  void gauss_newton() {
    BlockObjective f = objective_.open({0, 0});
    const LocalModel model = f.model();
    const std::span<double> product = std::span(numbers_).first(f.size());
    for (int i = 0; i < 6; ++i) model.times(model.gradient(), product);
    benchmark::DoNotOptimize(f.try_weights(std::as_const(network_).weights(f.block())));
  }

 private:
  Engine engine_{EngineOptions{.threads = 1}};
  Network network_;
  PackedRows packed_;
  Objective objective_;
  Vector numbers_;
};

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void against_dense(benchmark::State& state, void (Trainee::*work)()) {
  const Dataset data = mixed_data();
  const double before = peak_megabytes();
  Trainee tables(data, piecewise_columns(data, knots));
  (tables.*work)();
  state.counters["megabytes"] = peak_megabytes() - before;
  Dataset plain = data;
  for (std::size_t c = numbers; c < plain.columns(); ++c) {
    plain.layout.columns[c].categories = 0;
    for (double& x : plain.column(c)) x /= categories;
  }
  Trainee dense(plain, {});
  (dense.*work)();
  std::vector<double> ratios;
  for (auto _ : state) {
    const double time = seconds([&] { (tables.*work)(); });
    state.SetIterationTime(time);
    ratios.push_back(time / seconds([&] { (dense.*work)(); }));
  }
  state.counters["of_dense"] = median(ratios);
}

const auto* const gradients = benchmark::RegisterBenchmark("gradient", against_dense, &Trainee::gradient)
                                  -> UseManualTime() -> Iterations(5);
const auto* const visits =
    benchmark::RegisterBenchmark("gauss_newton_visit", against_dense, &Trainee::gauss_newton)
        -> UseManualTime() -> Iterations(3);

}  // namespace
}  // namespace strata::bench

BENCHMARK_MAIN();
