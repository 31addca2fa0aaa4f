#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/clock.h"
#include "strata/data/preprocess.h"
#include "strata/data/row_source.h"
#include "strata/data/table.h"
#include "strata/model/fit_options.h"
#include "strata/model/metrics.h"
#include "strata/model/model.h"
#include "strata/network/network.h"
#include "strata/objective/packed_rows.h"
#include "strata/trainers/checkpoint.h"
#include "strata/trainers/records.h"
#include "strata/trainers/scheme.h"

namespace strata {

// Rows of each kind, encoded and scaled.
struct FitData {
  Preprocessor preprocessor;
  Dataset train;
  std::optional<Dataset> validation = {};
  std::optional<Dataset> test = {};
  std::vector<std::string> notices = {};  // what was decided for the user, a sentence each
  // Begin with these weights instead of new ones: the same architecture, one for each member.
  std::vector<Network> start = {};
  bool one_network = false;  // the table is so large (FitOptions::one_network_from)
};

// Optional inputs of prepare.
struct PrepareInputs {
  const RowSource* validation = nullptr;       // validation rows, instead of a part of the training rows
  const Preprocessor* preprocessor = nullptr;  // fitted earlier: for a network that is trained further
};

// Splits first, then fits the preprocessor on the training rows alone. The same seed gives the same split. Numbers are
// copied once, scaled, into the part that they belong to. Processes that share the rows all call it, and each gets its
// part of the data.
FitData prepare(const RowSource& rows, const FitOptions& options, const PrepareInputs& inputs = {});

// Which rows of a table train, validate and test: those of prepare, found again by the seed. Rows of other files, and the
// validation rows of several members, are not among them.
struct RowSplit {
  std::vector<std::size_t> train;
  std::vector<std::size_t> validation = {};
  std::vector<std::size_t> test = {};
};
RowSplit split_rows(const Table& table, const FitOptions& options);

// What is known when training starts.
struct FitStart {
  std::string_view method;
  std::size_t rows;
  std::size_t members;
  std::size_t weights;  // of each
  const Architecture& network;
  const Preprocessor& preprocessor;
  const Stopping& stopping;                                    // the rules that will end the run
  PackedRows::Storage storage = PackedRows::Storage::doubles;  // of the rows
};

struct FitHooks {
  std::function<void(const FitStart&)> started = {};
  Observers observers = {};
  std::function<bool()> interrupt = {};  // asked often; true: stop, and return the best so far
  std::function<bool(const SweepRecord&)> after_sweep = {};  // after the observers; true: stop
  // Time, interruption and callbacks are the first process's. Where there are checkpoints, all processes keep them.
  Checkpoints checkpoints = {};
  Clock clock = steady_clock();       // what the limit on seconds counts
  Engine* engine = &serial_engine();  // its processes share the data
};

// What temperature scaling did, on rows it was not fitted on where there are such.
struct Calibration {
  std::string_view set;     // whose errors these are: "test" or "validation"
  double error_before = 0;  // expected calibration error
  double error_after = 0;
};

// Some of the training rows, and how many networks of the model, one fold's after the other's, did not train on them.
struct Fold {
  std::vector<std::size_t> rows;
  std::size_t networks;
};

struct FitResult {
  Model model;
  TrainingResult training;  // of several members: means of their values, sums of their sweeps and work
  std::vector<TrainingResult> members = {};  // of each network of the model
  std::size_t trained_members = 1;           // of which the model has those that are worth keeping
  double l2 = 0;                             // r, as used; of several members the first's
  Metrics train;
  std::optional<Metrics> validation = {};
  // Where members had validation rows of their own, whose figures are then theirs on their rows.
  std::vector<Fold> folds = {};
  [[nodiscard]] bool out_of_fold() const { return !folds.empty(); }
  std::optional<Metrics> test = {};
  std::optional<Calibration> calibration = {};
};

// The seed of the weights and batches of a member; the first has that of the fit.
std::uint64_t member_seed(std::uint64_t seed, std::size_t member);

// Hand over data that are of no further use: each set is given up when it is packed.
FitResult fit(FitData data, const FitOptions& options, const FitHooks& hooks = {});
FitResult fit(const Table& table, const FitOptions& options, const FitHooks& hooks = {});

// One JSON object: task, loss, method, network, seed, objective, the figures of each set (train_mse, ... in scaled units;
// rmse, mae, r2 in the target's; log_loss, accuracy, ... of a classification), work, reason. The same text is kept in the model as its training record.
std::string to_json(const FitResult& result);

}  // namespace strata
