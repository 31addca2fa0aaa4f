#include "strata/model/importance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "strata/core/errors.h"
#include "strata/core/random.h"
#include "strata/model/predict.h"

namespace strata {

namespace {

double error_of(const Metrics& metrics) { return figures(metrics).front().mean(); }

Table at_most(const Table& table, std::size_t rows, RandomStream chance) {
  if (table.rows() <= rows) return table;
  std::vector<std::size_t> drawn = chance.permutation(table.rows());
  drawn.resize(rows);
  std::sort(drawn.begin(), drawn.end());
  return take_rows(table, drawn);
}

struct Spread {
  double mean = 0;
  double deviation = 0;
};

Spread spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Spread spread{.mean = std::accumulate(values.begin(), values.end(), 0.0) / count};
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / count);
  return spread;
}

// Values that an input is set to: quantiles of its numbers, or its categories, the frequent ones first.
Column grid_of(const Column& column, std::size_t points) {
  if (column.type == ColumnType::numeric) {
    std::vector<double> numbers;
    for (const double number : column.numbers)
      if (!std::isnan(number)) numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    std::vector<double> grid;
    for (std::size_t i = 0; i < points && !numbers.empty(); ++i)
      grid.push_back(numbers[i * (numbers.size() - 1) / std::max<std::size_t>(1, points - 1)]);
    grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
    return numeric_column(column.name, grid);
  }
  std::vector<std::size_t> counts(column.categories.size());
  for (const std::int32_t code : column.codes)
    if (code >= 0) ++counts[static_cast<std::size_t>(code)];
  std::vector<std::int32_t> codes(counts.size());
  std::iota(codes.begin(), codes.end(), 0);
  std::stable_sort(codes.begin(), codes.end(), [&](auto a, auto b) {
    return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
  });
  codes.resize(std::min(points, codes.size()));
  return nominal_column(column.name, column.categories, codes);
}

}  // namespace

Importances permutation_importance(const Model& model, const Table& table, const ImportanceOptions& options,
                                   Engine& engine) {
  if (options.repeats == 0) throw InvalidOption("repeats", "0", "use a whole number of at least 1");
  const RandomStream chance(options.seed);
  Table rows = at_most(table, options.most_rows, chance.split(0));
  const Metrics metrics = evaluate(model, rows, engine);
  Importances found{.error = figures(metrics).front().name, .value = error_of(metrics), .rows = rows.rows()};
  for (const std::string& input : model.preprocessor.input_names()) {
    Column& column = rows.columns[rows.index(input)];
    const Column right = column;
    std::vector<double> increases;
    RandomStream shuffles = chance.split(1 + found.inputs.size());
    for (std::size_t k = 0; k < options.repeats; ++k) {
      column = right.take(shuffles.permutation(rows.rows()));
      increases.push_back(error_of(evaluate(model, rows, engine)) - found.value);
    }
    column = right;
    const Spread spread = spread_of(increases);
    found.inputs.push_back({input, spread.mean, spread.deviation});
  }
  std::stable_sort(found.inputs.begin(), found.inputs.end(),
                   [](const Importance& a, const Importance& b) { return a.increase > b.increase; });
  return found;
}

std::vector<DependencePoint> partial_dependence(const Model& model, const Table& table,
                                                const std::string& input, std::size_t points,
                                                Engine& engine) {
  constexpr std::size_t most_rows = 1000;
  Table rows = at_most(table, most_rows, RandomStream(1));
  const std::size_t place = rows.index(input);
  const Column grid = grid_of(rows.columns[place], points);
  const std::size_t width = predicted_columns(model);
  const std::size_t shown = model.preprocessor.classes().empty() ? 0 : width - 1;
  Vector out(rows.rows() * width);
  std::vector<DependencePoint> found;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    rows.columns[place] = grid.take(std::vector<std::size_t>(rows.rows(), i));
    predict(model, rows, {out.data(), rows.rows(), width}, engine);
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t row = 0; row < rows.rows(); ++row)
      if (const double value = out[row * width + shown];
          !std::isnan(value)) {  // a row that the model's policy drops
        sum += value;
        ++count;
      }
    if (count == 0) continue;
    found.push_back({grid.text(i),
                     grid.type == ColumnType::numeric ? grid.numbers[i] : static_cast<double>(i),
                     sum / static_cast<double>(count)});
  }
  return found;
}

}  // namespace strata
