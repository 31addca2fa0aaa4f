#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "strata/objective/loss.h"
#include "support/networks.h"

namespace strata::testing_support {

// Every loss, with options that make each of its parts count, and the columns of targets it is tested with.
struct LossCase {
  std::string name;  // of the case
  std::string loss;
  LossOptions options = {};
  std::size_t targets = 1;

  [[nodiscard]] std::unique_ptr<const Loss> make() const { return make_loss(loss, options); }
};
inline void PrintTo(const LossCase& c, std::ostream* out) { *out << c.name; }

inline std::vector<LossCase> loss_cases() {
  return {{"squared", "squared"},
          {"squared_of_two", "squared", {}, 2},
          {"huber", "huber", {.delta = 0.3}},
          {"huber_of_two", "huber", {.delta = 0.2}, 2},
          {"quantile", "quantile", {.levels = {0.8}, .width = 0.2}},
          {"quantiles", "quantile", {.levels = {0.1, 0.5, 0.9}, .width = 0.2}},
          {"quantiles_of_two", "quantile", {.levels = {0.25, 0.75}, .width = 0.3}, 2},
          {"poisson", "poisson"},
          {"poisson_of_two", "poisson", {}, 2},
          {"logistic", "logistic"},
          {"softmax", "softmax", {.classes = 3}},
          {"softmax_of_many", "softmax", {.classes = 11}}};
}

// Smooth targets made into what the loss accepts: counts, classes.
inline Dataset data_for(const LossCase& c, std::size_t rows, std::size_t features = 3,
                        std::uint64_t seed = 1) {
  Dataset data = smooth_data(rows, features, c.targets, seed);
  for (double& y : data.targets) {
    if (c.loss == "poisson") y = std::floor(3 * std::abs(y));
    if (c.loss == "logistic") y = y > 0.6 ? 1 : 0;
    const auto classes = static_cast<double>(c.options.classes);
    if (c.loss == "softmax") y = std::clamp(std::floor((y + 0.2) / 1.5 * classes), 0.0, classes - 1);
  }
  return data;
}

inline Network network_for(const LossCase& c, std::vector<std::size_t> hidden, Architecture rest = {},
                           std::uint64_t seed = 2) {
  rest.inputs = 3;
  rest.hidden = std::move(hidden);
  rest.outputs = c.make()->outputs(c.targets);
  return random_network(std::move(rest), seed);
}

}  // namespace strata::testing_support
