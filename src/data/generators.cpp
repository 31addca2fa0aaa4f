#include "strata/data/generators.h"

#include <fmt/core.h>

#include <array>
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

struct House {
  double area, rooms, age, distance;
  std::int32_t garden, condition;  // codes into the categories below
};
const std::vector<std::string> garden_texts{"no", "yes"};
const std::vector<std::string> condition_texts{"fair", "good",
                                               "poor"};  // sorted, as a reader of the file finds them

House draw_house(RandomStream& stream) {
  House house{};
  house.area = std::floor(stream.uniform(35, 220));
  house.rooms = 1 + std::floor(house.area / 30 + 1.5 * stream.uniform());
  house.age = std::floor(stream.uniform(0, 100));
  house.distance = std::floor(10 * stream.uniform(0, 30)) / 10;
  house.garden = stream.uniform() * 30 < house.distance ? 1 : 0;
  house.condition = static_cast<std::int32_t>(stream.below(condition_texts.size()));
  return house;
}

double price_of(const House& house) {
  constexpr std::array<double, 3> by_condition{1.0, 1.15, 0.8};
  const double per_area = 1500 + 3500 / (1 + house.distance / 6);
  const double worn = 1 - 0.3 * house.age / (house.age + 40);
  return house.area * per_area * worn * by_condition[static_cast<std::size_t>(house.condition)] +
         15000 * house.garden;
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

Table housing(const HousingOptions& options) {
  check(options.rows, 6, 6, options.noise);
  const RandomStream root(options.seed);
  RandomStream inputs = root.split(input_stream);
  RandomStream errors = root.split(noise_stream);
  std::array<std::vector<double>, 5> numbers;
  std::array<std::vector<std::int32_t>, 2> codes;
  for (std::size_t row = 0; row < options.rows; ++row) {
    const House house = draw_house(inputs);
    const double price = price_of(house) * (1 + options.noise * errors.normal());
    const std::array<double, 5> values{house.area, house.rooms, house.age, house.distance,
                                       100 * std::floor(price / 100 + 0.5)};
    for (std::size_t c = 0; c < values.size(); ++c) numbers[c].push_back(values[c]);
    codes[0].push_back(house.garden);
    codes[1].push_back(house.condition);
  }
  return {.file = "housing",
          .columns = {numeric_column("area", numbers[0]), numeric_column("rooms", numbers[1]),
                      numeric_column("age", numbers[2]), numeric_column("distance", numbers[3]),
                      nominal_column("garden", garden_texts, codes[0]),
                      nominal_column("condition", condition_texts, codes[1]),
                      numeric_column("price", numbers[4])},
          .outputs = {"price"}};
}

Table spirals(const SpiralsOptions& options) {
  check(options.rows, 2, 2, options.noise);
  if (options.classes < 2 || options.classes > 26)
    throw InvalidOption("classes", fmt::format("{}", options.classes), "use 2 to 26");
  const RandomStream root(options.seed);
  RandomStream inputs = root.split(input_stream);
  RandomStream errors = root.split(noise_stream);
  std::vector<std::string> letters;
  for (std::size_t k = 0; k < options.classes; ++k) letters.emplace_back(1, static_cast<char>('a' + k));
  std::vector<double> x1;
  std::vector<double> x2;
  std::vector<std::int32_t> codes;
  for (std::size_t row = 0; row < options.rows; ++row) {
    const auto code = static_cast<std::int32_t>(inputs.below(options.classes));
    const double distance = inputs.uniform();
    const double turns = distance + static_cast<double>(code) / static_cast<double>(options.classes);
    x1.push_back(distance * portable_sin(2 * std::numbers::pi * (turns + 0.25)) +
                 options.noise * errors.normal());
    x2.push_back(distance * portable_sin(2 * std::numbers::pi * turns) + options.noise * errors.normal());
    codes.push_back(code);
  }
  return {.file = "spirals",
          .columns = {numeric_column("x1", x1), numeric_column("x2", x2),
                      nominal_column("class", letters, codes)},
          .outputs = {"class"}};
}

}  // namespace strata
