// What losses cost beside each other. For each number of outputs: the time of a block Gauss-Newton visit of every layer
// (the local model, six products with it, a trial) relative to that of one output, for the same hidden layers and rows;
// for each loss: the time of a gradient of all weights relative to the squared loss.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>

#include "support/problem.h"

namespace strata::bench {
namespace {

constexpr std::size_t batch = 4096;

// One column of targets that the loss accepts, from numbers in [0, 1).
Dataset data_for(const std::string& loss, std::size_t classes) {
  Dataset data = random_data(batch, features);
  for (double& y : data.targets) {
    if (loss == "softmax") y = std::floor(y * static_cast<double>(classes));
    if (loss == "logistic") y = std::floor(2 * y);
    if (loss == "poisson") y = std::floor(5 * y);
  }
  return data;
}

class Trainee {
 public:
  Trainee(const std::string& name, const LossOptions& options, const Hidden& hidden, Precision precision)
      : loss_(make_loss(name, options)),
        data_(data_for(name, options.classes)),
        packed_(data_),
        network_({.inputs = features, .hidden = hidden, .outputs = loss_->outputs(1)}),
        objective_((initialise(network_, {.kind = Initialisation::glorot}, RandomStream(2)), network_),
                   packed_, {.l2 = 1e-8, .loss = loss_.get(), .precision = precision}),
        numbers_(network_.size()) {}

  void gradient() { benchmark::DoNotOptimize(objective_.value_and_gradient(numbers_)); }

  void gauss_newton() {
    for (std::size_t l = network_.layers(); l-- > 0;) {
      BlockObjective f = objective_.open({l, l});
      const LocalModel model = f.model();
      const std::span<double> product = std::span(numbers_).first(f.size());
      if (!model.has_gram())  // otherwise a product costs no pass over the rows
        for (int i = 0; i < 6; ++i) model.times(model.gradient(), product);
      const auto w = std::as_const(network_).weights(f.block());
      benchmark::DoNotOptimize(f.try_weights(w));
      objective_.commit(f.block(), w);
    }
  }

 private:
  std::unique_ptr<const Loss> loss_;
  Dataset data_;
  PackedRows packed_;
  Network network_;
  Objective objective_;
  Vector numbers_;
};

void compare(benchmark::State& state, Trainee& one, Trainee& other, void (Trainee::*pass)()) {
  std::vector<double> ratios;
  for (auto _ : state) {
    const double reference = seconds([&] { (one.*pass)(); });
    const double time = seconds([&] { (other.*pass)(); });
    state.SetIterationTime(time);
    ratios.push_back(time / reference);
  }
  state.counters["ratio"] = median(ratios);
}

void outputs(benchmark::State& state, const Hidden& hidden, std::size_t classes, Precision precision) {
  Trainee one("logistic", {}, hidden, precision);
  Trainee many("softmax", {.classes = classes}, hidden, precision);
  compare(state, one, many, &Trainee::gauss_newton);
}

void gradients(benchmark::State& state, const std::string& loss) {
  Trainee squared("squared", {}, Hidden(3, 50), Precision::float64);
  Trainee other(loss, {.classes = 26}, Hidden(3, 50), Precision::float64);
  compare(state, squared, other, &Trainee::gradient);
}

void register_all() {
  for (const auto& [name, hidden] : networks)
    for (const std::size_t classes : {2U, 3U, 5U, 7U, 8U, 10U, 16U, 26U})
      for (const Precision precision : {Precision::float64, Precision::float32})
        benchmark::RegisterBenchmark(("gauss_newton/" + name + "/outputs:" + std::to_string(classes) +
                                      (precision == Precision::float32 ? "/float32" : ""))
                                         .c_str(),
                                     outputs, hidden, classes, precision)
            ->UseManualTime()
            ->Iterations(7)
            ->Unit(benchmark::kMillisecond);
  for (const LossInfo& loss : losses())
    benchmark::RegisterBenchmark(("gradient/3x50/" + std::string(loss.name)).c_str(), gradients,
                                 std::string(loss.name))
        ->UseManualTime()
        ->Iterations(30)
        ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  strata::bench::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
