#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/clock.h"
#include "strata/data/preprocess.h"
#include "strata/data/row_source.h"
#include "strata/data/table.h"
#include "strata/model/metrics.h"
#include "strata/model/model.h"
#include "strata/network/network.h"
#include "strata/objective/packed_rows.h"
#include "strata/trainers/checkpoint.h"
#include "strata/trainers/method_options.h"
#include "strata/trainers/records.h"
#include "strata/trainers/scheme.h"

namespace strata {

// Rows that do not train: a part of the table drawn by the seed, or all rows of another file.
struct Holdout {
  double fraction = 0;  // of the rows that are left, 0 <= fraction < 1; 0: none
  std::filesystem::path file = {};
  std::string weight = {};  // column of the file with the weights of its rows; none: all count the same
  [[nodiscard]] bool none() const { return fraction == 0 && file.empty(); }
};

// r in f = mean loss + r ||w||^2, in units of the scaled target.
struct L2 {
  enum class Rule {
    value,
    automatic,  // from the loss on the validation rows (train_with_adaptive_l2); without such rows it is `value`
    paper,      // rho / P with rho = 1e-3 / n, for n weights and P training rows: the paper's protocol
    rho,        // rho itself, the other reading of what the paper prints
  };
  Rule rule = Rule::value;
  double value = 1e-5;  // >= 0
};
std::optional<L2> named_l2(std::string_view name);  // paper, rho or auto; nothing for any other text

// The weight of each class in the loss of a classification.
struct ClassWeight {
  enum class Rule {
    none,  // all rows count the same
    balanced,  // the rows of every class have the same sum of weights: n / (K n_k) for n_k of n rows and K classes
    given,  // by label; classes that are not named have 1
  };
  Rule rule = Rule::none;
  std::map<std::string, double> weights = {};  // > 0
};

// Each replaces the method's own rule where it is given. A limit on time alone lifts the method's limit on sweeps.
struct Limits {
  std::optional<double> seconds = {};
  std::optional<std::size_t> sweeps = {};  // epochs of a minibatch method
  std::optional<std::uint64_t> evaluations = {};
  std::optional<double> gradient_norm = {};
  std::optional<double> relative_decrease = {};
  std::optional<double> objective_at_most = {};  // stop when f is at or below this
};

// Everything between a table and a trained model. The defaults are what a new user should get.
struct FitOptions {
  PreprocessOptions preprocess = {.missing = MissingPolicy::impute,
                                  .drop_rows_without_target = true,
                                  .unseen = UnseenPolicy::zeros,
                                  .useless = ColumnPolicy::leave_out,
                                  .scale = Scaling::standard,
                                  .target_scale = Scaling::standard};
  std::string loss =
      {};  // one of losses(); none: squared for numbers, logistic for two classes, softmax for more
  LossOptions loss_options = {};  // delta and width are in units of the scaled target
  ClassWeight class_weight = {};
  bool calibrate = true;    // classification: temperature scaling on the validation rows
  std::size_t members = 1;  // networks, from different starts; the model predicts their mean
  std::size_t one_network_from =
      0;  // a table of so many rows has one network, whatever `members` says; 0: none
  std::vector<std::size_t> hidden = {50, 50, 50};
  Activation activation = Activation::sigmoid;
  double radial_width = 1;  // of a layer with a radial activation (Architecture), whose centres begin at rows
  Bias bias = Bias::per_layer;
  // The first layer reads numbers through piecewise-linear functions with at most so many knots, and at most max(16, rows / 12), and
  // has weights of its own for each category and for missing values (piecewise_columns). 0: a weight times each scaled number, categories as 0/1
  // columns. Of no effect without hidden layers.
  std::size_t knots = 0;
  // How freely those functions may bend (Architecture::bend), for one member after the other, in turn. Members of one round have
  // the same validation rows, which also decide of which of several bends the members are kept.
  std::vector<double> bends = {usual_bend};
  InitialiseOptions init = {};
  std::string method = "blgn";
  MethodOptionValues method_options = {};
  L2 l2 = {};
  Limits limits = {};
  // In place of the method's own limit on sweeps, unless `limits` has one on sweeps or time.
  std::optional<std::size_t> usual_sweeps = {};
  std::uint64_t seed = 1;  // split, initial weights, order of batches and layers
  Holdout test = {};
  Holdout validation = {.fraction =
                            0.15};  // of several members: a fraction for each, and all else for training
  std::size_t patience = 20;  // sweeps without a lower validation error before the run ends; 0: it goes on
  double least_gain = 0;      // a part by which that error must fall for the patience to begin anew
  std::string early_stopping_metric =
      "loss";  // what that error is: loss, or a figure of Metrics (rmse, accuracy, ...)
  double average =
      3;  // minibatch methods: the mean of the weights over about so many sweeps is tried too; 0: never
};

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
