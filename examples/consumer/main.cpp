// Uses an installed Strata: found by CMake (see CMakeLists.txt) or by
//   g++ -std=c++20 main.cpp $(pkg-config --cflags --libs --static strata)
// Made-up data, a small network, a few epochs: enough to touch every room of the library.
#include <iostream>

#include "strata/data/generators.h"
#include "strata/data/preprocess.h"
#include "strata/data/read.h"
#include "strata/trainers/presets.h"

int main() {
  const strata::Table table = strata::friedman1({.rows = 500, .noise = 0.5, .seed = 7});
  const auto preprocessor = strata::Preprocessor::fit(table, {.targets = {"y"}});
  const strata::Dataset data = preprocessor.apply(table);

  strata::Network network({.inputs = data.features(), .hidden = {20, 20}});
  initialise(network, {.kind = strata::Initialisation::glorot}, strata::RandomStream(7));
  strata::Scheme scheme = strata::preset("blgn", network.layers());
  scheme.stopping = {.max_sweeps = 10};
  const strata::TrainingResult result = train(network, data, scheme, {.objective = {.l2 = 1e-6}});
  std::cout << result.message << '\n';

  const strata::Table more = strata::parse_csv("a,b\n1,2\n3,4\n", "more.csv");
  std::cout << "read " << more.rows() << " rows of " << more.columns.size() << " columns\n";
  return result.value < 0.02 ? 0 : 1;
}
