#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/fields.h"
#include "strata/data/preprocess_options.h"
#include "strata/network/knots.h"
#include "strata/network/network.h"
#include "strata/objective/loss.h"
#include "strata/trainers/method_options.h"

namespace strata {

// Rows that do not train: a part of the table drawn by the seed, or all rows of another file.
struct Holdout {
  double fraction = 0;  // of the rows that are left; 0: none
  std::filesystem::path file = {};
  std::string weight = {};  // column of the file with the weights of its rows; none: all count the same
  [[nodiscard]] bool none() const { return fraction == 0 && file.empty(); }

  static constexpr std::string_view accepts = "a fraction between 0 and 1, a file or none";
  static constexpr std::string_view placeholder = "FILE|FRACTION";
  [[nodiscard]] std::string text() const;
  bool read(std::string_view text);
  [[nodiscard]] bool is_allowed() const { return fraction >= 0 && fraction < 1; }
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
  double value = 1e-5;

  static constexpr std::string_view accepts = "a number of at least 0, auto, paper or rho";
  static constexpr std::string_view placeholder = "R";
  [[nodiscard]] std::string text() const;
  bool read(std::string_view text);
  [[nodiscard]] bool is_allowed() const { return not_negative.allows(value); }
};
constexpr auto names_of(L2::Rule) {
  return std::to_array<std::string_view>({"value", "auto", "paper", "rho"});
}

// The weight of each class in the loss of a classification.
struct ClassWeight {
  enum class Rule {
    none,  // all rows count the same
    balanced,  // the rows of every class have the same sum of weights: n / (K n_k) for n_k of n rows and K classes
    given,  // by label; classes that are not named have 1
  };
  Rule rule = Rule::none;
  std::map<std::string, double> weights = {};  // > 0

  static constexpr std::string_view accepts = "balanced, none, or weights such as yes=5,no=1";
  static constexpr std::string_view placeholder = "WEIGHTS";
  static constexpr bool has_items = true;
  [[nodiscard]] std::string text() const;
  bool read(std::string_view item);
  [[nodiscard]] static bool is_allowed() { return true; }  // the classes are known later
};

// Each replaces the method's own rule where it is given. A limit on time alone lifts the method's limit on sweeps.
struct Limits {
  std::optional<double> seconds = {};  // from the beginning of fit; final errors come after it
  // Those of training alone, to compare methods: knots, packing, reports and looks at validation rows do not count.
  bool seconds_of_training = false;
  std::optional<std::size_t> sweeps = {};  // epochs of a minibatch method
  std::optional<std::uint64_t> evaluations = {};
  std::optional<double> gradient_norm = {};
  std::optional<double> relative_decrease = {};
  std::optional<double> objective_at_most = {};

  void fields(auto& list) {
    list("time-limit", seconds, positive.as_time(),
         "time limit: 90, 90s, 1.5m, 2h, from the start of the command, reading included; final errors and "
         "saving come after it; given alone, it replaces the method's limit on sweeps");
    list("sweeps", sweeps, at_least(1), "most passes over the data");
    list("max-evaluations", evaluations, not_negative,
         "most evaluations of the objective or of a part of it");
    list("gradient-tolerance", gradient_norm, not_negative,
         "stop when the norm of the gradient is at most this");
    list("relative-decrease", relative_decrease, not_negative,
         "stop when the objective decreases by at most this fraction in a sweep (batch methods)");
    list("objective-at-most", objective_at_most, "stop when the objective is at most this");
  }
};

// Everything between a table and a trained model. The defaults are what a new user should get. What `fields` lists are the options
// of `strata train` and the parameters of the Python estimators, with _ for -.
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
  std::optional<bool> calibrate = {};  // none: where there are classes; temperature scaling
  std::size_t members = 1;
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
  std::vector<Line> lines = {Line::values};  // of those functions, in turn as well
  // The first layer also reads sums of at most so many pairs of numbers, in two or sixteen directions: those whose interaction a first
  // network misses; not in a table of `one_network_from` rows or more, and not where processes share the rows.
  std::size_t interactions = 0;
  InitialiseOptions init = {};
  std::string method = "blgn";
  MethodOptionValues method_options = {};
  L2 l2 = {};
  Limits limits = {};
  // In place of the method's own limit on sweeps, unless `limits` has one on sweeps or time.
  std::optional<std::size_t> usual_sweeps = {};
  std::uint64_t seed = 1;
  Holdout test = {};
  Holdout validation = {.fraction =
                            0.15};  // of several members: a fraction for each, and all else for training
  std::size_t patience = 20;
  double least_gain = 0;  // a part by which that error must fall for the patience to begin anew
  std::string early_stopping_metric = "loss";  // or a figure of Metrics (rmse, accuracy, ...)
  double average = 3;

  void fields(auto& list) {
    list.group = "Data";
    preprocess.fields(list);
    list("test", test, "test set: a file, or a fraction of the table drawn by the seed");
    list("validation", validation, "early-stopping set: a file, a fraction of the training rows, or none");
    list.group = "Network";
    list("members", members, at_least(1), "networks from different starts, whose predictions are averaged");
    list("hidden", hidden, at_least(1).or_empty(), "widths of the hidden layers, or none: a linear model");
    list(
        "activation", activation,
        "activation of the hidden layers; where not given gaussian for rbf-decomposition; the last three are "
        "functions of the distance to a centre, for one hidden layer");
    list("radial-width", radial_width, positive,
         "width of radial functions: the distance from the centre in every scaled input at which a gaussian "
         "is "
         "1/e");
    list("knots", knots, not_negative,
         "piecewise-linear functions of each number with at most so many knots, weights of their own for "
         "categories "
         "and missing cells; 0: a weight times each scaled number");
    list("bends", bends, positive,
         "how freely those functions may bend: a weight of 1 is a step of so much; members take several in "
         "turn, and "
         "those that predict the validation rows best together are kept");
    list("lines", lines,
         "what those functions are lines of where they do not bend: the values, or normal scores of their "
         "ranks, in "
         "turn as well");
    list("interactions", interactions, not_negative,
         "read at most so many pairs of numbers together too, as sums in two or sixteen directions: those "
         "whose interaction a first "
         "network misses");
    list("bias", bias, "where there are biases: for every neuron, or as one constant input");
    init.fields(list);
    list.group = "Method";
    list("loss", loss, Bound{.may_be_empty = true, .names = loss_names},
         "what is minimised; where not given squared, of classes what fits their number");
    loss_options.fields(list);
    list("class-weight", class_weight, "none, balanced, or a weight for labels: yes=5,no=1");
    list("calibrate", calibrate,
         "of classes: scale the probabilities by a temperature, fitted on the validation rows, unless off");
    list("method", method, "training method; strata methods lists them");
    list("l2", l2,
         "L2 penalty: r in f = mean loss + r ||w||^2; auto: chosen by the validation error; paper: "
         "1e-3/(weights rows); rho: 1e-3/weights");
    list("seed", seed, not_negative,
         "random seed of the split, the initial weights and the order of the rows");
    list.group = "Stopping rules";
    list("patience", patience, not_negative,
         "sweeps without improvement of the validation error; 0 disables early stopping");
    list("early-stopping-metric", early_stopping_metric,
         "validation error to watch: loss, rmse, mae, r2, deviance or pinball; log_loss, accuracy, "
         "balanced_accuracy or auc");
    list("average", average, not_negative,
         "minibatch methods: try also the mean of the weights over about so many sweeps, on the validation "
         "rows; 0 "
         "leaves it out");
    limits.fields(list);
  }
};

// The options that `fields` lists, as programs show them.
std::vector<OptionInfo> fit_options();

// Sets the option of that name by its texts, the items of a list one by one. A text that says no value it takes is refused
// (InvalidOption), by the name that the user knows it by.
void set_option(FitOptions& options, std::string_view name, const std::vector<std::string>& texts,
                std::string_view shown_as);

// Refuses (InvalidOption) the first option with a value that is not allowed.
void check(const FitOptions& options);

}  // namespace strata
