#include "strata/data/generators.h"

#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "strata/core/portable_math.h"
#include "strata/core/random.h"

namespace strata {

namespace {

enum Stream : std::uint64_t { input_stream = 1, noise_stream = 2 };

void check(std::size_t rows, std::size_t inputs, std::size_t least_inputs, double noise) {
  if (rows == 0) throw InvalidOption("rows", "0", "use 1 or more");
  if (inputs < least_inputs)
    throw InvalidOption("inputs", fmt::format("{}", inputs), fmt::format("use {} or more", least_inputs));
  if (!(noise >= 0) || std::isinf(noise))
    throw InvalidOption("noise", fmt::format("{}", noise), "use 0 or a finite positive number");
}

// Row by row, so that a longer table begins with the rows of a shorter one.
std::vector<Column> uniform_inputs(std::size_t rows, std::size_t inputs, RandomStream stream) {
  std::vector<Column> columns;
  for (std::size_t c = 0; c < inputs; ++c)
    columns.push_back(numeric_column(fmt::format("x{}", c + 1), std::vector<double>(rows)));
  for (std::size_t row = 0; row < rows; ++row)
    for (Column& column : columns) column.numbers[row] = stream.uniform();
  return columns;
}

template <class Target>
Table make_table(std::string name, std::size_t rows, std::size_t inputs, double noise, std::uint64_t seed,
                 Target target) {
  const RandomStream root(seed);
  Table table{.file = std::move(name),
              .columns = uniform_inputs(rows, inputs, root.split(input_stream)),
              .outputs = {"y"}};
  RandomStream errors = root.split(noise_stream);
  std::vector<double> y(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto x = [&](std::size_t number) { return table.columns[number - 1].numbers[row]; };
    y[row] = target(x) + noise * errors.normal();
  }
  table.columns.push_back(numeric_column("y", std::move(y)));
  return table;
}

}  // namespace

Table friedman1(const Friedman1Options& options) {
  check(options.rows, options.inputs, 5, options.noise);
  return make_table(
      "friedman1", options.rows, options.inputs, options.noise, options.seed, [](const auto& x) {
        const double bend = x(3) - 0.5;
        return 10 * portable_sin(std::numbers::pi * x(1) * x(2)) + 20 * (bend * bend) + 10 * x(4) + 5 * x(5);
      });
}

Table folded_staircase(const FoldedStaircaseOptions& options) {
  check(options.rows, options.inputs, 3, options.noise);
  constexpr int most_folds = 40;  // each fold uses up one of the 53 bits of a uniform number
  if (options.folds < 1 || options.folds > most_folds)
    throw InvalidOption("folds", fmt::format("{}", options.folds), fmt::format("use 1 to {}", most_folds));
  return make_table("folded_staircase", options.rows, options.inputs, options.noise, options.seed,
                    [&](const auto& x) {
                      double t = (x(1) + x(2)) / 2;
                      for (int fold = 0; fold < options.folds; ++fold) t = 1 - std::abs(2 * t - 1);
                      return x(3) < 0.5 ? t : std::floor(4 * t) / 4;
                    });
}

}  // namespace strata
