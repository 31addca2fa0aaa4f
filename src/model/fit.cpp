#include "strata/model/fit.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "model/bends.h"
#include "model/calibration.h"
#include "model/class_weights.h"
#include "model/evaluation_set.h"
#include "model/fit_record.h"
#include "model/interval.h"
#include "model/members.h"
#include "model/pairs.h"
#include "model/train_networks.h"
#include "strata/core/errors.h"
#include "strata/core/random.h"
#include "strata/network/centres.h"
#include "strata/network/knots.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

// Labels of the random streams, apart from those of the trainer.
constexpr std::uint64_t fold_stream = 13;
constexpr std::uint64_t member_stream = 14;
constexpr std::uint64_t centre_stream = 15;

// Counts and quantiles have no scaling that puts the best constant at zero: the output layer begins there. Log-odds of
// classes begin at zero, so that weights count as repeated rows to the last digit.
void start_at_best_constant(Network& network, const Loss& loss, const Dataset& train,
                            Communicator& processes) {
  if (loss.constant_curvature() > 0 || network.architecture().bias != Bias::per_layer) return;
  const Vector targets = gathered(train.targets, processes);
  const Vector weights = gathered(train.weights, processes);
  const Matrix output = network.layer(network.layers() - 1);
  loss.best_constant({targets.data(), train.all_rows(), train.outputs}, weights,
                     output.row(output.rows() - 1));
}

// With few rows between them, knots follow the noise.
std::size_t knots_for(const FitData& data, const FitOptions& options) {
  constexpr std::size_t few = 16;
  constexpr std::size_t rows_of_a_knot = 12;
  return std::min(options.knots, std::max(few, data.train.all_rows() / rows_of_a_knot));
}

// With ranks where one of the members follows them; the others do without.
Line line_for(const FitOptions& options) { return std::ranges::max(options.lines); }

// What the first layer of new networks reads; none: a weight times each feature.
std::vector<ColumnBasis> new_columns(const FitData& data, const FitOptions& options,
                                     Communicator& processes) {
  if (!data.start.empty() || data.train.layout.expand) return {};
  return piecewise_columns(data.train, knots_for(data, options), processes, line_for(options));
}

// Bends and lines are taken in turn.
std::size_t turns_of(const FitOptions& options) {
  return std::max(options.bends.size(), options.lines.size());
}

Network make_network(const FitData& data, const FitOptions& options, const Loss& loss, std::size_t member,
                     const std::vector<ColumnBasis>& columns, Communicator& processes) {
  Architecture architecture{.inputs = data.train.features(),
                            .hidden = options.hidden,
                            .outputs = loss.outputs(data.train.outputs),
                            .activation = options.activation,
                            .bias = options.bias,
                            .radial_width = options.radial_width};
  if (!data.start.empty()) {
    architecture.columns = data.start[member].architecture().columns;
  } else if (!data.train.layout.expand) {
    const std::size_t turn = member % turns_of(options);
    architecture.columns = columns;
    architecture.bend = options.bends[turn % options.bends.size()];
    if (options.lines[turn % options.lines.size()] == Line::values)
      for (ColumnBasis& column : architecture.columns) column.line.clear();
  }
  Network network(architecture);
  if (data.start.empty()) {
    const RandomStream random(member_seed(options.seed, member));
    initialise(network, options.init, random);
    if (architecture.is_radial(0)) place_centres(network, data.train, random.split(centre_stream), processes);
    loss.check_targets(data.train.y(), data.train.first_row);
    if (data.preprocessor.classes().empty()) start_at_best_constant(network, loss, data.train, processes);
    return network;
  }
  const Network& start = data.start[member];
  if (start.architecture() != network.architecture())
    throw InvalidOption("start", start.architecture().brief(),
                        fmt::format("the network to train is {}; start anew, or keep its settings",
                                    network.architecture().brief()));
  return start;
}

void check_members(const FitData& data, const FitOptions& options, Communicator& processes) {
  const std::string members = fmt::format("{}", options.members);
  if (options.members > 1 && !processes.alone())
    throw InvalidOption("members", members,
                        "processes that share the rows train one network; use 1, or a single process");
  const bool may_be_fewer = turns_of(options) > 1;  // than were trained
  if (!data.start.empty() &&
      (data.start.size() > options.members || (data.start.size() < options.members && !may_be_fewer)))
    throw InvalidOption("members", members,
                        fmt::format("the model to train further has {}; use the same", data.start.size()));
  constexpr std::size_t most_turns = 6;
  if (options.bends.size() > most_turns)
    throw InvalidOption("bends", fmt::format("{} numbers", options.bends.size()),
                        fmt::format("use 1 to {}", most_turns));
  if (options.lines.size() > most_turns)
    throw InvalidOption("lines", fmt::format("{} names", options.lines.size()),
                        fmt::format("use 1 to {}", most_turns));
  if (options.interactions > 0 && !processes.alone())
    throw InvalidOption("interactions", fmt::format("{}", options.interactions),
                        "one process looks for them; use 0, or a single process");
}

// In how many of the folds that were made there are networks, and how many in each. members: the number of each network.
std::vector<Fold> folds_of(std::span<const std::size_t> members, const Folds& folds,
                           std::size_t members_of_a_fold) {
  std::vector<Fold> used;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const std::size_t fold = members[m] / members_of_a_fold;
    if (m == 0 || fold != members[m - 1] / members_of_a_fold) used.push_back({folds[fold], 0});
    ++used.back().networks;
  }
  return used;
}

// Those at these positions.
template <class T>
void keep(std::vector<T>& values, std::span<const std::size_t> positions) {
  std::vector<T> kept;
  for (const std::size_t position : positions) kept.push_back(std::move(values[position]));
  values = std::move(kept);
}

// What is left of them after some seconds; all processes go by the first.
Limits left_of(Limits limits, double seconds, Communicator& processes) {
  constexpr double least = 1e-3;
  if (limits.seconds && !limits.seconds_of_training)
    limits.seconds = std::max(least, *limits.seconds - broadcast_value(processes, seconds));
  return limits;
}

// The folds as sets of rows, each for the members that did not train on it.
class FoldRows {
 public:
  FoldRows(const std::vector<Fold>& folds, const PackedRows& all) : folds_(folds) {
    // Folds have the weights of one data set: together, their mean is about 1.
    std::vector<std::size_t> every(all.rows());
    std::iota(every.begin(), every.end(), std::size_t{0});
    const double scale = all.weight_scale(every);
    for (const Fold& fold : folds) {
      rows_.push_back(std::make_unique<PackedRows>(all.engine()));
      rows_.back()->pack(all, fold.rows, fold.rows.size(), scale);
    }
  }
  [[nodiscard]] EvaluationSets sets(const Model& model) const {
    EvaluationSets sets;
    std::size_t first = 0;
    for (std::size_t f = 0; f < rows_.size(); ++f) {
      sets.push_back({std::span(model.networks).subspan(first, folds_[f].networks), rows_[f].get()});
      first += folds_[f].networks;
    }
    return sets;
  }

 private:
  const std::vector<Fold>& folds_;
  std::vector<std::unique_ptr<PackedRows>> rows_;
};

// Of a network that training left without one, from its errors on the same rows.
void set_objective(FitResult& result, double squared_norm) {
  const double value = result.train.loss + result.l2 * squared_norm;
  const auto set = [value](TrainingResult& training) {
    training.value = value;
    training.write_message();
  };
  set(result.training);
  for (TrainingResult& member : result.members) set(member);
}

// Sets the temperature; the error that it leaves is found with the other figures.
void calibrate(FitResult& result, const EvaluationSets& validation, const PackedRows* test,
               std::span<const double> class_factors) {
  if (result.model.preprocessor.classes().empty() || !std::isfinite(result.training.value)) return;
  const Metrics before = test != nullptr ? evaluate(result.model, *test, class_factors)
                                         : evaluate(result.model, validation, class_factors);
  result.calibration = {.set = test != nullptr ? "test" : "validation",
                        .error_before = before.classes->calibration_error};
  result.model.temperature = fit_temperature(result.model, validation);
}

}  // namespace

std::uint64_t member_seed(std::uint64_t seed, std::size_t member) {
  return member == 0 ? seed : RandomStream(seed).split(member_stream).split(member).next();
}

FitResult fit(FitData data, const FitOptions& options, const FitHooks& hooks) {
  Engine& engine = *hooks.engine;
  const double begun = hooks.clock();
  check(options);
  check_members(data, options, engine.processes());
  const LossChoice choice = loss_for(data.preprocessor, options.loss, options.loss_options);
  const std::unique_ptr<const Loss> loss = choice.make();
  if (options.calibrate && data.preprocessor.classes().empty())
    throw InvalidOption("calibrate", *options.calibrate ? "on" : "off", no_classes());
  const std::vector<double> factors =
      class_factors(options.class_weight, data.preprocessor.classes(), data.train, engine.processes());
  std::size_t members = data.one_network ? 1 : options.members;
  if (!data.start.empty()) members = data.start.size();
  // Members of one round of turns have the same validation rows.
  const std::size_t turns = data.start.empty() ? std::min(members, turns_of(options)) : 1;
  std::vector<Network> networks;
  std::vector<ColumnBasis> columns = new_columns(data, options, engine.processes());
  if (options.interactions > 0 && !columns.empty() && !data.one_network) {
    const auto columns_with = [&](const std::vector<ColumnBasis>& sums) {
      std::vector<ColumnBasis> all = columns;
      all.insert(all.end(), sums.begin(), sums.end());
      return all;
    };
    const auto network_with = [&](const std::vector<ColumnBasis>& sums) {
      return make_network(data, options, *loss, 0, columns_with(sums), engine.processes());
    };
    columns = columns_with(interacting_pairs(network_with, data.train, knots_for(data, options),
                                             line_for(options), *loss, options, hooks));
  }
  for (std::size_t m = 0; m < members; ++m)
    networks.push_back(make_network(data, options, *loss, m, columns, engine.processes()));
  const std::size_t shards = PackedRows::shards_for(networks.front());
  const auto pack = [&](std::optional<PackedRows>& rows, Dataset& set) {
    if (!factors.empty()) weigh_classes(set, factors);
    rows.emplace(set, engine, shards);
    set = {};  // rows are held once
  };
  Folds folds;
  if (members > 1 && options.validation.fraction > 0 && !data.validation)
    folds = make_folds(data.train, !data.preprocessor.classes().empty(), (members + turns - 1) / turns,
                       options.validation.fraction, RandomStream(options.seed).split(fold_stream));
  std::optional<PackedRows> training, validation, test;
  pack(training, data.train);
  if (data.validation) pack(validation, *data.validation);
  const MemberRows rows{*training, folds, turns, validation ? &*validation : nullptr};
  FitOptions left = options;
  left.limits = left_of(options.limits, hooks.clock() - begun, engine.processes());
  TrainedNetworks trained =
      train_networks({.networks = std::move(networks), .preprocessor = data.preprocessor, .loss = choice},
                     rows, left, hooks, factors);

  FitResult result{.model = {.networks = std::move(trained.networks),
                             .preprocessor = data.preprocessor,
                             .training = {},
                             .loss = choice},
                   .training = std::move(trained.summary),
                   .members = std::move(trained.results),
                   .trained_members = trained.members.size(),
                   .l2 = trained.l2,
                   .train = {}};
  if (data.test) pack(test, *data.test);
  std::optional<FoldRows> fold_rows;
  const auto find_held_out = [&]() -> EvaluationSets {
    if (validation) return {{result.model.networks, &*validation}};
    if (folds.empty()) return {};
    result.folds = folds_of(trained.members, folds, turns);
    return fold_rows.emplace(result.folds, *training).sets(result.model);
  };
  EvaluationSets held_out = find_held_out();
  if (turns > 1 && !held_out.empty()) {
    const std::vector<std::size_t> kept =
        members_to_keep(result.model, trained.members, turns, held_out, factors);
    keep(result.model.networks, kept);
    keep(result.members, kept);
    keep(trained.members, kept);
    held_out = find_held_out();
  }
  const bool is_measured = !std::isnan(result.training.value) || result.model.networks.size() > 1;
  if (!is_measured) {
    result.train = evaluate(result.model, *training, factors);
    set_objective(result, trained.squared_norm);
  }
  if (options.calibrate.value_or(true) && !held_out.empty())
    calibrate(result, held_out, test ? &*test : nullptr, factors);
  if (!held_out.empty() && std::isfinite(result.training.value))
    result.model.conformal = conformal_scores(result.model, held_out);
  if (is_measured || result.calibration) result.train = evaluate(result.model, *training, factors);
  if (!held_out.empty()) result.validation = evaluate(result.model, held_out, factors);
  if (test) result.test = evaluate(result.model, *test, factors);
  if (result.calibration)
    result.calibration->error_after = (test ? result.test : result.validation)->classes->calibration_error;
  result.model.training = fit_record(result, options);
  return result;
}

FitResult fit(const Table& table, const FitOptions& options, const FitHooks& hooks) {
  return fit(prepare(table, options), options, hooks);
}

std::string to_json(const FitResult& result) { return result.model.training; }

}  // namespace strata
