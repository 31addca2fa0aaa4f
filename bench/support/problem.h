#pragma once

#include <string>
#include <utility>
#include <vector>

#include "strata/objective/objective.h"
#include "support/timing.h"

namespace strata::bench {

constexpr std::size_t rows = 32614;
constexpr std::size_t features = 12;

using Hidden = std::vector<std::size_t>;
inline const std::vector<std::pair<std::string, Hidden>> networks{{"1x50", {50}},
                                                                  {"3x20", {20, 20, 20}},
                                                                  {"200-50-200", {200, 50, 200}},
                                                                  {"5x50", Hidden(5, 50)},
                                                                  {"10x50", Hidden(10, 50)}};

struct Problem {
  explicit Problem(const Hidden& hidden, std::size_t threads = 1, std::size_t count = rows)
      : data(random_data(count, features)),
        engine({.threads = threads}),
        packed(data, engine),
        network({.inputs = features, .hidden = hidden, .bias = Bias::input}),
        objective((initialise(network, {.kind = Initialisation::uniform}, RandomStream(2)), network), packed,
                  {.l2 = 1e-8}),
        gradient(network.size()) {}
  Dataset data;
  Engine engine;
  PackedRows packed;
  Network network;
  Objective objective;
  Vector gradient;
};

}  // namespace strata::bench
