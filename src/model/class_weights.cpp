#include "model/class_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "strata/core/errors.h"
#include "strata/core/exact_sum.h"
#include "strata/core/option_text.h"
#include "strata/core/suggestion.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

// n / (K n_k): every class has the same sum of weights, and their mean is 1.
std::vector<double> balanced(std::size_t classes, const Dataset& train, Communicator& processes) {
  std::vector<ExactSum> own(classes);
  for (std::size_t row = 0; row < train.rows; ++row)
    own[static_cast<std::size_t>(train.targets[row])].add(train.weights.empty() ? 1 : train.weights[row]);
  std::vector<ExactSum> sums(classes);
  for (const auto& part : all_to_all(processes, std::vector(processes.size(), own)))
    for (std::size_t k = 0; k < classes; ++k) sums[k] += part[k];
  std::vector<double> counts;
  for (const ExactSum& sum : sums) counts.push_back(sum.value());
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  for (double& count : counts) count = count > 0 ? total / (static_cast<double>(classes) * count) : 1;
  return counts;
}

std::vector<double> given(const std::map<std::string, double>& weights,
                          const std::vector<std::string>& classes) {
  std::vector<double> factors(classes.size(), 1);
  for (const auto& [label, weight] : weights) {
    const auto found = std::ranges::find(classes, label);
    if (found == classes.end())
      throw InvalidOption(option_name("class-weight"), label,
                          fmt::format("the target has no such class{}", suggestion(label, classes)));
    if (!(weight > 0) || std::isinf(weight))
      throw InvalidOption(option_name("class-weight"), fmt::format("{}={}", label, weight),
                          "use a number above 0; to leave a class out, leave out its rows");
    factors[static_cast<std::size_t>(found - classes.begin())] = weight;
  }
  return factors;
}

}  // namespace

std::string no_classes() {
  return "the target holds numbers, not classes; leave it out, or use " +
         option_text("task", "classification");
}

std::vector<double> class_factors(const ClassWeight& weight, const std::vector<std::string>& classes,
                                  const Dataset& train, Communicator& processes) {
  if (weight.rule == ClassWeight::Rule::none) return {};
  if (classes.empty()) throw InvalidOption(option_name("class-weight"), weight.text(), no_classes());
  if (weight.rule == ClassWeight::Rule::balanced) return balanced(classes.size(), train, processes);
  return given(weight.weights, classes);
}

void weigh_classes(Dataset& data, std::span<const double> factors) {
  if (data.weights.empty()) data.weights.assign(data.rows, 1);
  for (std::size_t row = 0; row < data.rows; ++row)
    data.weights[row] *= factors[static_cast<std::size_t>(data.targets[row])];
}

}  // namespace strata
