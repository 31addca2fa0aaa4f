#pragma once

#include <string>
#include <vector>

#include "strata/core/random.h"
#include "strata/model/model.h"
#include "strata/network/knots.h"
#include "support/networks.h"

namespace strata::support {

struct ExportCase {
  std::string name;
  Model model;
};

// A table with every kind of column: numbers, one of them constant, a category of two and of many values, with names that no
// language likes, numbers taken as categories, and dates.
inline Table mixed_table(std::size_t rows, std::uint64_t seed, bool with_gaps) {
  RandomStream random(seed);
  const auto gap = [&] { return with_gaps && random.uniform() < 0.15; };
  const std::vector<std::string> streets{"north", "south \"side\"", "\303\251t\303\251 ?\?/ */", "", "int"};
  const std::vector<std::string> dates{"1999-12-31 23:30", "2003-01-01 04:00", "2024-02-29 12:15",
                                       "2011-07-19 00:00"};
  Table table{.file = "mixed"};
  std::vector<double> area, constant, rooms, price, count;
  std::vector<std::int32_t> street, garden, kind, opened;
  for (std::size_t row = 0; row < rows; ++row) {
    area.push_back(gap() ? Column::missing_number : random.uniform(-3, 250));
    constant.push_back(2.5);
    rooms.push_back(gap() ? Column::missing_number : static_cast<double>(random.below(4)) - 1.5);
    const auto code = [&](std::size_t n) {
      return gap() ? Column::missing_code : static_cast<std::int32_t>(random.below(n));
    };
    street.push_back(code(streets.size()));
    if (street.back() == 3) street.back() = 0;  // declared, but in no row
    garden.push_back(code(2));
    opened.push_back(code(dates.size()));
    kind.push_back(static_cast<std::int32_t>(random.below(3)));
    price.push_back(random.uniform(-100, 900));
    count.push_back(static_cast<double>(random.below(9)));
  }
  table.columns = {numeric_column("area in m\302\262", area),
                   nominal_column("street", streets, street),
                   numeric_column("double", constant),
                   nominal_column("garden?", {"no", "yes"}, garden),
                   numeric_column("rooms", rooms),
                   nominal_column("opened", dates, opened),
                   numeric_column("price", price),
                   numeric_column("count", count),
                   nominal_column("kind", {"a", "b \\", "missing"}, kind)};
  return table;
}

struct ExportSettings {
  MissingPolicy missing = MissingPolicy::impute;
  UnseenPolicy unseen = UnseenPolicy::zeros;
  Scaling scale = Scaling::minmax;
  std::size_t knots = 0;     // more: the first layer has tables
  bool sum = false;          // and one of them is of a sum of two numbers
  bool gaps_unseen = false;  // training rows have no missing value, though the model takes them
};

inline Model export_model(const LossChoice& loss, std::vector<std::string> targets, Architecture architecture,
                          const ExportSettings& settings) {
  PreprocessOptions options{.targets = targets,
                            .categorical = {"rooms"},
                            .missing = settings.missing,
                            .unseen = settings.unseen,
                            .scale = settings.scale,
                            .target_scale = loss.name == "poisson" ? Scaling::none : settings.scale,
                            .expand_inputs = settings.knots == 0};
  for (const char* const column : {"price", "count", "kind"})
    if (std::find(targets.begin(), targets.end(), column) == targets.end()) options.ignore.push_back(column);
  const bool gaps = settings.missing == MissingPolicy::impute && !settings.gaps_unseen;
  const Table table = mixed_table(200, 1, gaps);
  Preprocessor preprocessor = Preprocessor::fit(table, options);
  architecture.inputs = preprocessor.features();
  if (settings.knots > 0) {
    const Dataset rows = preprocessor.apply(table);
    architecture.columns = piecewise_columns(rows, settings.knots);
    std::vector<std::size_t> numbers;
    for (std::size_t c = 0; c < rows.columns(); ++c)
      if (rows.layout.columns[c].categories == 0) numbers.push_back(c);
    if (settings.sum)
      architecture.columns.push_back(sum_column(
          rows, {.inputs = {numbers.front(), numbers.back()}, .factors = {0.7, -2}}, settings.knots));
  }
  architecture.outputs = loss.make()->outputs(preprocessor.outputs());
  Network network = testing_support::random_network(architecture);
  return {.networks = {std::move(network)},
          .preprocessor = std::move(preprocessor),
          .loss = loss,
          .temperature = loss.name == "softmax" || loss.name == "logistic" ? 1.7 : 1};
}

// Every activation, bias, loss, policy and scaling occurs.
inline std::vector<ExportCase> export_cases() {
  using enum Activation;
  std::vector<ExportCase> cases;
  const auto add = [&](std::string name, const LossChoice& loss, const std::vector<std::string>& targets,
                       const Architecture& architecture, const ExportSettings& settings = {}) {
    cases.push_back({std::move(name), export_model(loss, targets, architecture, settings)});
  };
  const ExportSettings refusing{.missing = MissingPolicy::refuse, .unseen = UnseenPolicy::refuse};
  for (const Activation activation : {linear, sigmoid, tanh, relu, leaky_relu, elu, softplus, silu})
    add("with_" + std::string(to_string(activation)), {}, {"price"},
        {.hidden = {7, 5, 3}, .activation = activation});
  for (const Activation activation : {gaussian, multiquadric, inverse_multiquadric})
    add("with_" + std::string(to_string(activation)), {}, {"price"},
        {.hidden = {7}, .activation = activation, .radial_width = 0.6});
  for (const Bias bias : {Bias::none, Bias::input, Bias::per_layer})
    add("bias_" + std::string(to_string(bias)), {}, {"price"}, {.hidden = {6, 4}, .bias = bias},
        {MissingPolicy::refuse, UnseenPolicy::refuse, Scaling::standard});
  add("shallow", {}, {"price", "count"}, {}, {.missing = MissingPolicy::drop, .scale = Scaling::none});
  add("one_hidden", {.name = "huber"}, {"price"}, {.hidden = {3}, .activations = {tanh}});
  add("quantiles", {.name = "quantile", .options = {.levels = {0.1, 0.5, 0.9}}}, {"price", "count"},
      {.hidden = {4, 4}});
  add("median", {.name = "quantile"}, {"price"}, {.hidden = {4}});
  add("counts", {.name = "poisson"}, {"count"}, {.hidden = {4}, .activation = relu});
  add("three_classes", {.name = "softmax", .options = {.classes = 3}}, {"kind"},
      {.hidden = {5}, .activations = {elu}});
  add("two_classes", {.name = "logistic"}, {"garden?"}, {.hidden = {5, 4}, .activations = {tanh, silu}},
      refusing);
  for (const std::size_t knots : {2, 3, 16}) {
    const std::string name = "knots_" + std::to_string(knots);
    add(name, {}, {"price", "count"}, {.hidden = {7, 5}}, {.knots = knots});
    add(name + "_classes", {.name = "softmax", .options = {.classes = 3}}, {"kind"}, {.hidden = {5}},
        {.knots = knots, .gaps_unseen = true});
  }
  add("knots_refusing", {.name = "logistic"}, {"garden?"}, {.hidden = {5}, .bias = Bias::none},
      {MissingPolicy::refuse, UnseenPolicy::refuse, Scaling::standard, 8});
  add("knots_unseen", {}, {"price"}, {.hidden = {5}},
      {.unseen = UnseenPolicy::refuse, .scale = Scaling::none, .knots = 8});
  add("knots_of_a_sum", {}, {"price"}, {.hidden = {5}}, {.knots = 8, .sum = true});
  add("knots_linear", {}, {"price"}, {.hidden = {3}, .activation = linear, .bias = Bias::input},
      {.knots = 8});
  for (const char* const base :
       {"with_tanh", "quantiles", "counts", "three_classes", "two_classes", "knots_16", "knots_16_classes"}) {
    ExportCase several = *std::ranges::find(cases, base, &ExportCase::name);
    several.name = "members_of_" + several.name;
    for (const std::uint64_t seed : {11U, 12U})
      several.model.networks.push_back(testing_support::random_network(several.model.architecture(), seed));
    cases.push_back(std::move(several));
  }
  return cases;
}

}  // namespace strata::support
