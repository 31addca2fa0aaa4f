// What Strata is about, on built-in data in under two minutes: a deep sigmoid network on which L-BFGS stops at the
// mean predictor, and methods that work layer by layer and do not.
#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

#include "strata/data/generators.h"
#include "strata/data/preprocess.h"
#include "strata/data/split.h"
#include "strata/trainers/presets.h"

namespace {

struct Problem {
  strata::Dataset train;
  strata::Dataset test;
  strata::Preprocessor preprocessor;
};

Problem friedman() {
  const strata::Table table = strata::friedman1({.rows = 6000, .inputs = 10, .noise = 1.0, .seed = 1});
  const strata::Split split = strata::split_by_fraction(table.rows(), 0.2, strata::RandomStream(1));
  auto preprocessor = strata::Preprocessor::fit(table, split.train, {.targets = {"y"}});
  return {preprocessor.apply(table, split.train), preprocessor.apply(table, split.test), preprocessor};
}

double test_error(const strata::Network& network,
                  const Problem& problem) {  // root mean square, in y's own units
  const strata::Dataset& test = problem.test;
  strata::Vector out(test.rows);
  network.predict(test.x(), {out.data(), test.rows, 1});
  double sum = 0;
  for (std::size_t p = 0; p < test.rows; ++p) {
    const double error =
        problem.preprocessor.to_own_units(out[p]) - problem.preprocessor.to_own_units(test.targets[p]);
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(test.rows));
}

void run(std::string_view method, const Problem& problem, double seconds) {
  strata::Network network({.inputs = problem.train.features,
                           .hidden = std::vector<std::size_t>(10, 50),
                           .bias = strata::Bias::input});
  initialise(network, {.kind = strata::Initialisation::uniform, .scale = 0.5}, strata::RandomStream(1));
  strata::Scheme scheme = strata::preset(method, network.layers());
  scheme.stopping.max_sweeps = 10000;
  scheme.stopping.seconds = seconds;
  const auto result =
      train(network, problem.train, scheme, {.objective = {.l2 = 1e-9, .threads = 0}, .seed = 1});
  fmt::print("{:<10} {:>10.3e} {:>9.3f} {:>8.1f} {:>8}   {}\n", method, result.value,
             test_error(network, problem), result.seconds, result.sweeps, to_string(result.reason));
  std::fflush(stdout);
}

}  // namespace

int main() {
  const Problem problem = friedman();
  fmt::print("Friedman 1 with noise of deviation 1: {} training rows, {} test rows, {} inputs.\n",
             problem.train.rows, problem.test.rows, problem.train.features);
  fmt::print("Network of ten sigmoid layers of 50, all methods from the same start.\n\n");
  fmt::print("{:<10} {:>10} {:>9} {:>8} {:>8}   {}\n", "method", "objective", "test RMSE", "seconds",
             "sweeps", "stopped by");
  for (const std::string_view method : {"lbfgs", "b2ld", "ig", "bling", "adam", "blgn"})
    run(method, problem, 12);
  fmt::print(
      "\nobjective: mean squared error of the scaled target plus regularisation, on the training rows.\n"
      "The mean predictor has a test RMSE of about 5; the noise alone accounts for 1.\n");
}
