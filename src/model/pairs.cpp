#include "model/pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "kernels/panel.h"
#include "strata/core/random.h"
#include "strata/trainers/presets.h"
#include "strata/trainers/scheme.h"

namespace strata {

namespace {

constexpr std::uint64_t row_stream = 16;  // a label, apart from those of fit.cpp

constexpr std::size_t most_rows = 16'384;
constexpr std::size_t fewest_rows = 1000;
constexpr double most_additions = 1e9;    // into cells
constexpr std::size_t cells = 12;         // of a column, with equally many rows each
constexpr double most_of_the_time = 0.1;  // of a limit on seconds: the members need the rest

// Of a pair that is worth its columns: the part of the residuals' variance that it explains beyond what chance does, and by how many
// standard deviations of chance that is. Chosen on rows that were neither trained nor tested on (docs/mathematics.md).
constexpr double least_share = 0.003;
constexpr double least_deviations = 8;

// The number columns with more than a few values, with the cell of each row.
struct CellColumn {
  std::size_t input;
  double range;  // between the quartiles, or the deviation where that is 0
  std::vector<std::uint8_t> cell;
};

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double next = sorted[std::min(below + 1, sorted.size() - 1)];
  return sorted[below] + (at - static_cast<double>(below)) * (next - sorted[below]);
}

double deviation(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / count);
}

std::vector<CellColumn> cell_columns(const Dataset& rows) {
  constexpr std::size_t few_values = 4;
  std::vector<CellColumn> columns;
  for (std::size_t c = 0; c < rows.columns(); ++c) {
    if (rows.layout.columns[c].categories > 0) continue;
    std::vector<double> sorted;
    for (const double x : rows.column(c))
      if (!std::isnan(x)) sorted.push_back(x);
    std::ranges::sort(sorted);
    if (sorted.size() < fewest_rows / 2) continue;
    std::vector<double> limits;
    for (std::size_t k = 1; k < cells; ++k) {
      const double limit = quantile(sorted, static_cast<double>(k) / cells);
      if (limits.empty() || limits.back() < limit) limits.push_back(limit);
    }
    const double range = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    CellColumn column{c, range > 0 ? range : deviation(sorted), {}};
    sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
    if (sorted.size() <= few_values) continue;
    for (const double x : rows.column(c))  // a missing value has a cell of its own
      column.cell.push_back(static_cast<std::uint8_t>(
          std::isnan(x) ? cells : std::ranges::upper_bound(limits, x) - limits.begin()));
    columns.push_back(std::move(column));
  }
  return columns;
}

// Without what the cells of a column explain.
void take_out(const CellColumn& column, std::vector<double>& residuals) {
  std::array<double, cells + 1> sum{}, count{};
  for (std::size_t p = 0; p < residuals.size(); ++p) {
    sum[column.cell[p]] += residuals[p];
    ++count[column.cell[p]];
  }
  for (std::size_t p = 0; p < residuals.size(); ++p)
    residuals[p] -= sum[column.cell[p]] / count[column.cell[p]];
}

struct Found {
  double share = 0;
  double deviations = 0;
};

// residuals: one list for each output, of variance 1.
Found interaction(const CellColumn& a, const CellColumn& b,
                  const std::vector<std::vector<double>>& residuals) {
  double explained = 0, by_chance = 0;
  std::vector<double> rest;
  for (const std::vector<double>& of_output : residuals) {
    rest = of_output;
    take_out(a, rest);
    take_out(b, rest);
    std::array<double, (cells + 1) * (cells + 1)> sum{}, count{};
    std::array<bool, cells + 1> in_a{}, in_b{};
    for (std::size_t p = 0; p < rest.size(); ++p) {
      const std::size_t cell = a.cell[p] * (cells + 1) + b.cell[p];
      sum[cell] += rest[p];
      ++count[cell];
      in_a[a.cell[p]] = in_b[b.cell[p]] = true;
    }
    for (std::size_t cell = 0; cell < sum.size(); ++cell)
      if (count[cell] > 0) explained += sum[cell] * sum[cell] / count[cell];
    by_chance += static_cast<double>(std::ranges::count_if(count, [](double n) { return n > 0; })) + 1 -
                 static_cast<double>(std::ranges::count(in_a, true) + std::ranges::count(in_b, true));
  }
  if (by_chance < 4) return {};
  const auto values = static_cast<double>(rest.size() * residuals.size());
  return {(explained - by_chance) / values, (explained - by_chance) / std::sqrt(2 * by_chance)};
}

// How the loss of each row would change with each output: of the squared loss the residuals. One list for each output, of variance
// 1, without outliers.
std::vector<std::vector<double>> residuals_of(const Network& network, const Dataset& rows, const Loss& loss) {
  const std::size_t outputs = network.architecture().outputs;
  const Vector features = feature_rows(rows);
  Vector predicted(rows.rows * outputs);
  network.predict({features.data(), rows.rows, rows.features()}, {predicted.data(), rows.rows, outputs});
  // All rows as one panel.
  const std::size_t stride = padded(rows.rows);
  const auto panel = [stride](Vector& space, std::size_t height) {
    space.resize(height * stride);
    return Matrix(space.data(), height, stride);
  };
  Vector out_space, target_space, delta_space;
  const Matrix out = panel(out_space, outputs), target = panel(target_space, rows.outputs),
               delta = panel(delta_space, outputs);
  for (std::size_t p = 0; p < rows.rows; ++p) {
    for (std::size_t o = 0; o < outputs; ++o) out(o, p) = predicted[p * outputs + o];
    for (std::size_t t = 0; t < rows.outputs; ++t) target(t, p) = rows.y()(p, t);
  }
  loss.value_and_delta(out, target, {}, rows.rows, 1, delta);
  std::vector<std::vector<double>> residuals;
  for (std::size_t o = 0; o < outputs; ++o)
    residuals.emplace_back(delta.row(o).begin(),
                           delta.row(o).begin() + static_cast<std::ptrdiff_t>(rows.rows));
  constexpr double outlier = 4;  // deviations
  for (std::vector<double>& of_output : residuals)
    for (const double limit : {outlier, std::numeric_limits<double>::infinity()}) {
      const double scale = deviation(of_output);
      if (scale > 0)
        for (double& x : of_output) x = std::clamp(x / scale, -limit, limit);
    }
  return residuals;
}

void train_briefly(Network& network, const Dataset& rows, const Loss& loss, const FitOptions& options,
                   const FitHooks& hooks) {
  Scheme scheme = preset("blgn", network.layers());
  scheme.stopping.max_sweeps = 30;
  if (options.limits.seconds) scheme.stopping.seconds = most_of_the_time * *options.limits.seconds;
  scheme.stopping.interrupt = hooks.interrupt;
  scheme.batches.grow_in_short_epochs = false;
  scheme.batches.all_rows = scheme.batches.precision;
  scheme.reporting.steps = false;
  TrainOptions training;
  training.objective = {.l2 = 1 / static_cast<double>(rows.rows), .loss = &loss};
  training.engine = hooks.engine;
  training.seed = options.seed;
  training.validation.fraction = 0.15;
  training.validation.patience = 4;
  training.validation.least_gain = 0.002;
  training.clock = hooks.clock;
  training.charge_all = true;
  training.measure_result = [](bool /*in_one_pass*/) { return false; };
  train(network, rows, scheme, training);
}

}  // namespace

std::vector<InputSum> interacting_pairs(Network network, const Dataset& train, const Loss& loss,
                                        const FitOptions& options, const FitHooks& hooks) {
  const auto numbers = static_cast<double>(std::ranges::count_if(
      train.layout.columns, [](const InputColumn& column) { return column.categories == 0; }));
  const double additions = numbers * (numbers - 1) / 2 * static_cast<double>(network.architecture().outputs);
  if (additions == 0) return {};
  const auto count = std::min({train.rows, most_rows, static_cast<std::size_t>(most_additions / additions)});
  if (count < fewest_rows) return {};
  std::vector<std::size_t> chosen = RandomStream(options.seed).split(row_stream).permutation(train.rows);
  chosen.resize(count);
  const Dataset rows = take_rows(train, chosen);
  train_briefly(network, rows, loss, options, hooks);
  const std::vector<std::vector<double>> residuals = residuals_of(network, rows, loss);
  const std::vector<CellColumn> columns = cell_columns(rows);

  struct Pair {
    Found found;
    const CellColumn *a, *b;
  };
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a + 1; b < columns.size(); ++b) {
      const Found found = interaction(columns[a], columns[b], residuals);
      if (found.share > least_share && found.deviations > least_deviations)
        pairs.push_back({found, &columns[a], &columns[b]});
    }
  std::ranges::stable_sort(pairs, std::greater<>(), [](const Pair& pair) { return pair.found.share; });
  pairs.resize(std::min(pairs.size(), options.interactions));
  std::vector<InputSum> sums;
  for (const Pair& pair : pairs)
    for (const double sign : {1.0, -1.0})
      sums.push_back({{pair.a->input, pair.b->input}, {1 / pair.a->range, sign / pair.b->range}});
  return sums;
}

}  // namespace strata
