#include "strata/model/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "model/calibration.h"
#include "model/class_weights.h"
#include "model/fit_record.h"
#include "model/row_classes.h"
#include "model/shared_source.h"
#include "strata/core/errors.h"
#include "strata/core/random.h"
#include "strata/core/suggestion.h"
#include "strata/data/shared_rows.h"
#include "strata/data/split.h"
#include "strata/network/knots.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

// Labels of the random streams, apart from those of the trainer.
constexpr std::uint64_t test_stream = 11;
constexpr std::uint64_t validation_stream = 12;

const Column* column_at(const Table& table, std::string_view position) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(position.data(), position.data() + position.size(), number);
  if (error != std::errc() || end != position.data() + position.size()) return nullptr;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if ((table.columns[c].position > 0 ? table.columns[c].position : c + 1) == number)
      return &table.columns[c];
  return nullptr;
}

// Options whose targets are names of columns: a whole number that names none is the position of one.
FitOptions with_target_names(const FitOptions& options, const Table& table) {
  FitOptions named = options;
  for (std::string& target : named.preprocess.targets) {
    if (table.find(target)) continue;
    const Column* const column = column_at(table, target);
    if (column == nullptr)
      throw DataError({table.file},
                      fmt::format("there is no column '{}' to predict; its columns, nearest first: {}",
                                  target, fmt::join(nearest_first(target, table.names()), ", ")));
    target = column->name;
  }
  return named;
}

// Moves the held-out part of the rows out of them, class by class where there are classes.
std::vector<std::size_t> take_out(std::vector<std::size_t>& rows, const RowClasses& classes,
                                  std::string_view name, const Holdout& part, RandomStream stream) {
  if (part.fraction == 0) return {};
  if (!(part.fraction > 0 && part.fraction < 1))
    throw InvalidOption(name, fmt::format("{}", part.fraction), "use a fraction between 0 and 1, or a file");
  const double held = part.fraction * static_cast<double>(rows.size());
  if (held < 0.5 || static_cast<double>(rows.size()) - held < 2)
    throw InvalidOption(
        name, fmt::format("{}", part.fraction),
        fmt::format("too few of {} rows would be left; use another fraction, 0 for none, or more rows",
                    rows.size()));
  Split split = classes.codes.empty() ? split_by_fraction(rows, part.fraction, stream)
                                      : split_by_class(rows, classes.codes, part.fraction, stream);
  rows = std::move(split.train);
  return std::move(split.test);
}

std::vector<std::size_t> every_row(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

Preprocessor fit_preprocessor(const Table& table, std::span<const std::size_t> rows,
                              const PreprocessOptions& options, std::vector<std::string>& notices) {
  return Preprocessor::fit(table, rows, options, single_process(), &notices);
}

Preprocessor fit_preprocessor(const Numbers& numbers, std::span<const std::size_t> rows,
                              const PreprocessOptions& options, std::vector<std::string>& /*notices*/) {
  return Preprocessor::fit(numbers, rows, options);
}

template <class Source>
Dataset apply(const Preprocessor& preprocessor, const Source& source, std::vector<std::size_t> rows) {
  return preprocessor.apply(source, std::move(rows));
}

Dataset read_held_out(const Preprocessor& preprocessor, const std::filesystem::path& file) {
  return preprocessor.apply(read_table(file, preprocessor.read_options(true)));
}

template <class Source>
Dataset read_held_out(const Preprocessor& preprocessor, const Source& /*source*/,
                      const std::filesystem::path& file) {
  return read_held_out(preprocessor, file);
}

// A file of held-out rows is read by every process, which keeps its part.
template <class Shared>
Dataset read_held_out(const Preprocessor& preprocessor, const SharedSource<Shared>& source,
                      const std::filesystem::path& file) {
  return share_rows(read_held_out(preprocessor, file), *source.processes);
}

template <class Source>
std::optional<Dataset> held_out_data(const Preprocessor& preprocessor, const Source& source,
                                     std::vector<std::size_t> rows, const Holdout& part) {
  if (!part.file.empty()) return read_held_out(preprocessor, source, part.file);
  if (rows.empty()) return {};
  // A category may fall to the held-out part alone; that is no fault of the table.
  return apply(preprocessor.with_policies(preprocessor.missing(), UnseenPolicy::zeros), source,
               std::move(rows));
}

template <class Source>
FitData split_and_encode(const Source& source, const FitOptions& options,
                         const PrepareInputs<Source>& inputs) {
  PreprocessOptions preprocess = preprocessing_for(options.loss, options.preprocess);
  if (options.knots > 0 && !options.hidden.empty()) preprocess.expand_inputs = false;
  const RandomStream random(options.seed);
  const RowClasses classes = row_classes(source, preprocess);
  std::vector<std::size_t> rows = every_row(source.rows());
  auto test = take_out(rows, classes, "test", options.test, random.split(test_stream));
  std::vector<std::size_t> validation;
  if (inputs.validation == nullptr)
    validation = take_out(rows, classes, "validation", options.validation, random.split(validation_stream));
  FitData data{.preprocessor = {}, .train = {}};
  data.preprocessor = inputs.preprocessor != nullptr
                          ? *inputs.preprocessor
                          : fit_preprocessor(source, rows, preprocess, data.notices);
  Preprocessor::from_json(data.preprocessor.to_json());  // what could not be saved is refused before training
  if (!test.empty() || !validation.empty())
    for (std::string& sentence : lonely_classes(classes)) data.notices.push_back(std::move(sentence));
  data.train = apply(data.preprocessor, source, std::move(rows));
  if (inputs.validation != nullptr)
    data.validation = apply(data.preprocessor, *inputs.validation, every_row(inputs.validation->rows()));
  else
    data.validation = held_out_data(data.preprocessor, source, std::move(validation), options.validation);
  data.test = held_out_data(data.preprocessor, source, std::move(test), options.test);
  return data;
}

template <class Shared>
FitData split_and_encode_shared(const Shared& shared, const FitOptions& options, Communicator& processes,
                                const PrepareInputs<Shared>& inputs) {
  const SharedSource<Shared> validation{inputs.validation, &processes};
  return split_and_encode<SharedSource<Shared>>(
      {&shared, &processes}, options,
      {inputs.validation != nullptr ? &validation : nullptr, inputs.preprocessor});
}

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

Network make_network(const FitData& data, const FitOptions& options, const Loss& loss,
                     Communicator& processes) {
  Architecture architecture{.inputs = data.train.features(),
                            .hidden = options.hidden,
                            .outputs = loss.outputs(data.train.outputs),
                            .activation = options.activation,
                            .bias = options.bias};
  if (data.start)
    architecture.columns = data.start->architecture().columns;
  else if (!data.train.layout.expand)
    architecture.columns = piecewise_columns(data.train, options.knots, processes);
  Network network(architecture);
  if (!data.start) {
    initialise(network, options.init, RandomStream(options.seed));
    loss.check_targets(data.train.y(), data.train.first_row);
    if (data.preprocessor.classes().empty()) start_at_best_constant(network, loss, data.train, processes);
    return network;
  }
  if (data.start->architecture() != network.architecture())
    throw InvalidOption("start", data.start->architecture().brief(),
                        fmt::format("the network to train is {}; start anew, or keep its settings",
                                    network.architecture().brief()));
  return *data.start;
}

double l2_of(const L2& l2, const Network& network, const PackedRows& train) {
  const auto weights = static_cast<double>(network.size());
  if (l2.rule == L2::Rule::rho) return 1e-3 / weights;
  if (l2.rule == L2::Rule::paper) return 1e-3 / (weights * static_cast<double>(train.rows()));
  if (!(l2.value >= 0)) throw InvalidOption("l2", fmt::format("{}", l2.value), "use a number of at least 0");
  return l2.value;
}

void apply(const Limits& limits, Stopping& stopping) {
  if (limits.seconds) {
    stopping.seconds = *limits.seconds;
    stopping.max_sweeps = 0;
  }
  if (limits.sweeps) stopping.max_sweeps = *limits.sweeps;
  if (limits.evaluations) stopping.max_evaluations = *limits.evaluations;
  if (limits.gradient_norm) stopping.gradient_norm = *limits.gradient_norm;
  if (limits.relative_decrease) stopping.relative_decrease = *limits.relative_decrease;
  if (limits.objective_at_most) stopping.objective_at_most = *limits.objective_at_most;
}

Scheme make_scheme(const FitOptions& options, std::size_t layers, const FitHooks& hooks) {
  Scheme scheme = preset(options.method, layers, options.method_options);
  apply(options.limits, scheme.stopping);
  scheme.stopping.interrupt = hooks.interrupt;
  scheme.stopping.callback = hooks.after_sweep;
  scheme.observers = hooks.observers;
  scheme.reporting.steps = false;  // who wants the steps observes them
  return scheme;
}

struct Trained {
  TrainingResult training;
  double l2 = 0;
  std::vector<L2PathPoint> path = {};
};

Trained train_network(Network& network, const Preprocessor& preprocessor, const TrainingRows& rows,
                      const Loss& loss, const FitOptions& options, const FitHooks& hooks) {
  const bool along_path = options.l2.rule == L2::Rule::automatic;
  if (along_path && (hooks.checkpoints.save || hooks.checkpoints.resume != nullptr))
    throw InvalidOption("l2", "auto",
                        "a path of runs has no checkpoints; give a number, or leave the checkpoint out");
  const Scheme scheme = make_scheme(options, network.layers(), hooks);
  if (hooks.started)
    hooks.started({options.method, rows.training.rows(), network.size(), network.architecture(), preprocessor,
                   scheme.stopping});
  const double l2 = l2_of(options.l2, network, rows.training);
  const TrainOptions train_options{
      .objective = {.l2 = l2, .loss = &loss},
      .engine = hooks.engine,
      .seed = options.seed,
      .validation = {.patience = rows.validation != nullptr ? options.patience : 0},
      .clock = hooks.clock,
      .checkpoints = hooks.checkpoints};
  if (!along_path) return {train(network, rows, scheme, train_options), l2};
  L2PathResult chosen = train_along_l2_path(network, rows, scheme, train_options);
  return {std::move(chosen.training), chosen.l2, std::move(chosen.path)};
}

// Sets the temperature; the error that it leaves is found with the other figures.
void calibrate(FitResult& result, const PackedRows& validation, const PackedRows* test,
               std::span<const double> class_factors) {
  if (result.model.preprocessor.classes().empty() || !std::isfinite(result.training.value)) return;
  const Metrics before = evaluate(result.model, test != nullptr ? *test : validation, class_factors);
  result.calibration = {.set = test != nullptr ? "test" : "validation",
                        .error_before = before.classes->calibration_error};
  result.model.temperature = fit_temperature(result.model, validation);
}

}  // namespace

std::optional<L2> named_l2(std::string_view name) {
  if (name == "paper") return L2{.rule = L2::Rule::paper};
  if (name == "rho") return L2{.rule = L2::Rule::rho};
  if (name == "auto") return L2{.rule = L2::Rule::automatic};
  return {};
}

FitData prepare(const Table& table, const FitOptions& options, const PrepareInputs<Table>& inputs) {
  FitData data = split_and_encode(table, with_target_names(options, table), inputs);
  data.notices.insert(data.notices.begin(), table.notices.begin(), table.notices.end());
  return data;
}

FitData prepare(const SharedTable& table, const FitOptions& options, Communicator& processes,
                const PrepareInputs<SharedTable>& inputs) {
  FitData data = split_and_encode_shared(table, with_target_names(options, table.table), processes, inputs);
  data.notices.insert(data.notices.begin(), table.table.notices.begin(), table.table.notices.end());
  return data;
}

FitData prepare(const SharedNumbers& numbers, const FitOptions& options, Communicator& processes,
                const PrepareInputs<SharedNumbers>& inputs) {
  return split_and_encode_shared(numbers, options, processes, inputs);
}

FitData prepare(const Numbers& numbers, const FitOptions& options, const PrepareInputs<Numbers>& inputs) {
  return split_and_encode(numbers, options, inputs);
}

FitResult fit(FitData data, const FitOptions& options, const FitHooks& hooks) {
  Engine& engine = *hooks.engine;
  const LossChoice choice = loss_for(data.preprocessor, options.loss, options.loss_options);
  const std::unique_ptr<const Loss> loss = choice.make();
  const std::vector<double> factors =
      class_factors(options.class_weight, data.preprocessor.classes(), data.train, engine.processes());
  Network network = make_network(data, options, *loss, engine.processes());
  const auto pack = [&](std::optional<PackedRows>& rows, Dataset& set) {
    if (!factors.empty()) weigh_classes(set, factors);
    rows.emplace(set, engine, PackedRows::shards_for(network.size()));
    set = {};  // rows are held once
  };
  std::optional<PackedRows> training, validation, test;
  pack(training, data.train);
  if (data.validation) pack(validation, *data.validation);
  const TrainingRows rows{*training, validation ? &*validation : nullptr};
  Trained trained = train_network(network, data.preprocessor, rows, *loss, options, hooks);

  FitResult result{
      .model = {.network = network, .preprocessor = data.preprocessor, .training = {}, .loss = choice},
      .training = std::move(trained.training),
      .l2 = trained.l2,
      .l2_path = std::move(trained.path),
      .train = {}};
  if (data.test) pack(test, *data.test);
  if (options.calibrate && validation) calibrate(result, *validation, test ? &*test : nullptr, factors);
  const auto measure = [&](const PackedRows& set) { return evaluate(result.model, set, factors); };
  result.train = measure(*training);
  if (validation) result.validation = measure(*validation);
  if (test) result.test = measure(*test);
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
