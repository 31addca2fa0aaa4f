#include "model/pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "kernels/panel.h"
#include "strata/core/random.h"
#include "strata/trainers/adaptive_l2.h"
#include "strata/trainers/presets.h"
#include "strata/trainers/scheme.h"

namespace strata {

namespace {

constexpr std::uint64_t row_stream = 16, held_stream = 17;  // a label, apart from those of fit.cpp

constexpr std::size_t most_rows = 16'384;
constexpr std::size_t fewest_rows = 1000;
constexpr double held_out = 0.15;
constexpr double most_of_the_time =
    0.05;  // of a limit on seconds, each of three networks: members need the rest
constexpr double most_additions = 1e9;  // into cells
constexpr std::size_t cells = 12;       // of a column, with equally many rows each
constexpr std::size_t few_directions = 2, many_directions = 16;

// Of a pair that is worth its columns: the part of the residuals' variance that it explains beyond what chance does, and by how many
// standard deviations of chance that is. Chosen on rows that were neither trained nor tested on (docs/mathematics.md).
constexpr double least_share = 0.003;
constexpr double least_deviations = 8;
// Many directions need more different values than this in both columns, and such a gain in the loss on validation rows.
constexpr std::size_t few_values_for_directions = 48;
constexpr double least_gain = 0.03;

// The number columns with more than a few values, with the cell of each row.
struct CellColumn {
  std::size_t input;
  double range;        // between the quartiles, or the deviation where that is 0
  std::size_t values;  // how many different ones
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
    CellColumn column{c, range > 0 ? range : deviation(sorted), 0, {}};
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    column.values = sorted.size();
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

struct Brief {
  Scheme scheme;
  TrainOptions options;
};

// Of training until the error on a part of the rows, which is drawn unless they are given, no longer improves.
Brief brief_training(const Network& network, std::size_t rows, const Loss& loss, const FitOptions& options,
                     const FitHooks& hooks) {
  Brief brief{.scheme = preset("blgn", network.layers()), .options = {}};
  brief.scheme.stopping.max_sweeps = 30;
  if (options.limits.seconds) brief.scheme.stopping.seconds = most_of_the_time * *options.limits.seconds;
  brief.scheme.stopping.interrupt = hooks.interrupt;
  brief.scheme.batches.grow_in_short_epochs = false;
  brief.scheme.batches.all_rows = brief.scheme.batches.precision;
  brief.scheme.reporting.steps = false;
  brief.options.objective = {.l2 = 1 / static_cast<double>(rows), .loss = &loss};
  brief.options.engine = hooks.engine;
  brief.options.seed = options.seed;
  brief.options.validation.fraction = held_out;
  brief.options.validation.patience = 4;
  brief.options.validation.least_gain = 0.002;
  brief.options.clock = hooks.clock;
  brief.options.charge_all = true;
  brief.options.measure_result = [](bool /*in_one_pass*/) { return false; };
  return brief;
}

void train_briefly(Network& network, const Dataset& rows, const Loss& loss, const FitOptions& options,
                   const FitHooks& hooks) {
  const auto [scheme, training] = brief_training(network, rows.rows, loss, options, hooks);
  train(network, rows, scheme, training);
}

struct Pair {
  Found found;
  const CellColumn *a, *b;
};

std::vector<Pair> pairs_in(const std::vector<CellColumn>& columns,
                           const std::vector<std::vector<double>>& residuals, std::size_t most) {
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a + 1; b < columns.size(); ++b) {
      const Found found = interaction(columns[a], columns[b], residuals);
      if (found.share > least_share && found.deviations > least_deviations)
        pairs.push_back({found, &columns[a], &columns[b]});
    }
  std::ranges::stable_sort(pairs, std::greater<>(), [](const Pair& pair) { return pair.found.share; });
  pairs.resize(std::min(pairs.size(), most));
  return pairs;
}

bool takes_many(const Pair& pair) {
  return std::min(pair.a->values, pair.b->values) > few_values_for_directions;
}

// Directions in the plane of a pair, evenly spread between those of its two columns: of two, the sum and the difference. With `many`,
// where the pair takes them, they have twice the knots.
std::vector<ColumnBasis> sums_of(const std::vector<Pair>& pairs, bool many, const Dataset& train,
                                 std::size_t knots, Line line) {
  std::vector<ColumnBasis> columns;
  for (const Pair& pair : pairs) {
    const bool fine = many && takes_many(pair);
    const std::size_t half = (fine ? many_directions : few_directions) / 2;
    for (const double sign : {1.0, -1.0})
      for (std::size_t d = 1; d <= half; ++d) {
        const double angle = std::numbers::pi / 2 * static_cast<double>(d) / static_cast<double>(half + 1);
        const InputSum sum{{pair.a->input, pair.b->input},
                           {std::numbers::sqrt2 * std::cos(angle) / pair.a->range,
                            sign * std::numbers::sqrt2 * std::sin(angle) / pair.b->range}};
        columns.push_back(sum_column(train, sum, fine ? 2 * knots : knots, line));
      }
  }
  return columns;
}

// Networks that read some columns or others, judged on the same rows, which none of them trains on.
class Trial {
 public:
  Trial(const NetworkWith& network_with, const Dataset& rows, const Loss& loss, const FitOptions& options,
        const FitHooks& hooks)
      : network_with_(network_with),
        loss_(loss),
        options_(options),
        hooks_(hooks),
        all_(rows, *hooks.engine, PackedRows::shards_for(network_with({}))) {
    const std::vector<std::size_t> order =
        RandomStream(options.seed).split(held_stream).permutation(rows.rows);
    const auto held = static_cast<std::size_t>(held_out * static_cast<double>(rows.rows));
    validation_.emplace(all_, std::span(order).first(held), *hooks.engine);
    training_.emplace(all_, std::span(order).subspan(held), *hooks.engine);
  }

  // Trained as members are, with a penalty from the data.
  [[nodiscard]] double loss_with(const std::vector<ColumnBasis>& columns) const {
    Network network = network_with_(columns);
    auto [scheme, training] = brief_training(network, training_->rows(), loss_, options_, hooks_);
    training.validation.fraction = 0;
    return train_with_adaptive_l2(network, {*training_, &*validation_}, scheme, training)
        .training.validation_loss;
  }

 private:
  const NetworkWith& network_with_;
  const Loss& loss_;
  const FitOptions& options_;
  const FitHooks& hooks_;
  PackedRows all_;
  std::optional<PackedRows> training_, validation_;
};

}  // namespace

std::vector<ColumnBasis> interacting_pairs(const NetworkWith& network_with, const Dataset& train,
                                           std::size_t knots, Line line, const Loss& loss,
                                           const FitOptions& options, const FitHooks& hooks) {
  Network network = network_with({});
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
  const std::vector<CellColumn> columns = cell_columns(rows);
  const std::vector<Pair> pairs = pairs_in(columns, residuals_of(network, rows, loss), options.interactions);
  std::vector<ColumnBasis> few = sums_of(pairs, false, train, knots, line);
  if (std::ranges::none_of(pairs, takes_many)) return few;
  std::vector<ColumnBasis> many = sums_of(pairs, true, train, knots, line);
  const Trial trial(network_with, rows, loss, options, hooks);
  return trial.loss_with(many) < (1 - least_gain) * trial.loss_with(few) ? many : few;
}

}  // namespace strata
