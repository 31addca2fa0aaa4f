#include "train_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "choice.h"
#include "rows.h"
#include "strata/core/errors.h"
#include "strata/model/effort.h"
#include "strata/objective/loss.h"
#include "strata/trainers/presets.h"
#include "study/protocol.h"
#include "study/readings.h"
#include "text_options.h"

namespace app {

using strata::InvalidOption;

namespace {

const std::string data_group = "Data";
const std::string network_group = "Network";
const std::string method_group = "Method";
const std::string method_options_group =
    "Options of some methods (strata methods NAME lists those of a method, with defaults)";
const std::string stopping_group =
    "Stopping rules (the first that is met ends the run; the method has defaults)";
const std::string output_group = "Output";

// Every option of any method, once, with the methods that take it.
std::vector<OptionSpec> method_option_specs() {
  std::vector<OptionSpec> specs;
  std::map<std::string, std::string> takers;
  for (const strata::MethodInfo& method : strata::methods())
    for (const strata::MethodOption& option : strata::options_of(method.name)) {
      std::string& names = takers[option.name];
      if (names.empty())
        specs.push_back({option.name, option.is_switch ? "" : "VALUE", option.help, method_options_group});
      names += (names.empty() ? "" : ", ") + std::string(method.name);
    }
  for (OptionSpec& spec : specs) spec.help += fmt::format(" ({})", takers[spec.name]);
  return specs;
}

strata::Holdout held_out(const Settings& settings, const std::string& name,
                         const strata::Holdout& otherwise) {
  if (!settings.has(name)) return otherwise;
  const std::string text = settings.text(name);
  if (text == "none") return {};
  if (const auto fraction = as_number(text)) return {.fraction = *fraction};
  return {.file = text};
}

strata::PreprocessOptions preprocess_options(const Settings& settings, strata::PreprocessOptions options) {
  options.targets = settings.list("target");
  options.task = choice(settings, "task", options.task,
                        {{"auto", strata::Task::automatic},
                         {"regression", strata::Task::regression},
                         {"classification", strata::Task::classification}});
  options.ignore = settings.list("ignore");
  options.categorical = settings.list("categorical");
  options.numeric = settings.list("numeric");
  if (settings.on("strict")) strata::make_strict(options);
  options.missing = missing_policy(settings).value_or(options.missing);
  options.unseen = unseen_policy(settings).value_or(options.unseen);
  options.max_categories = settings.whole("max-categories").value_or(options.max_categories);
  const std::map<std::string, strata::Scaling> scalings{{"standard", strata::Scaling::standard},
                                                        {"minmax", strata::Scaling::minmax},
                                                        {"none", strata::Scaling::none}};
  options.scale = choice(settings, "scale", options.scale, scalings);
  options.target_scale = choice(settings, "target-scale", options.target_scale, scalings);
  return options;
}

std::vector<std::size_t> layer_widths(const Settings& settings, std::vector<std::size_t> otherwise) {
  if (!settings.has("hidden")) return otherwise;
  if (settings.text("hidden") == "none") return {};
  std::vector<std::size_t> widths;
  for (const std::string& text : settings.list("hidden")) {
    Settings one;
    one.set("hidden", {text});
    widths.push_back(*one.whole("hidden"));
  }
  return widths;
}

std::vector<double> numbers(const Settings& settings, const std::string& option) {
  std::vector<double> values;
  for (const std::string& text : settings.list(option)) {
    Settings one;
    one.set(option, {text});
    values.push_back(*one.number(option));
  }
  return values;
}

void read_network(const Settings& settings, strata::FitOptions& options) {
  options.members = settings.whole("members").value_or(options.members);
  options.hidden = layer_widths(settings, options.hidden);
  if (settings.has("activation")) options.activation = strata::activation_from(settings.text("activation"));
  options.radial_width = settings.number("radial-width").value_or(options.radial_width);
  options.knots = settings.whole("knots").value_or(options.knots);
  if (settings.has("bends")) options.bends = numbers(settings, "bends");
  if (settings.has("bias")) options.bias = strata::bias_from(settings.text("bias"));
  if (settings.has("init")) options.init.kind = strata::initialisation_from(settings.text("init"));
  options.init.scale = settings.number("init-scale").value_or(options.init.scale);
}

strata::L2 l2(const Settings& settings, strata::L2 otherwise) {
  if (!settings.has("l2")) return otherwise;
  if (const auto named = strata::named_l2(settings.text("l2"))) return *named;
  return {.rule = strata::L2::Rule::value, .value = *settings.number("l2")};
}

void require_loss(const Settings& settings, const std::string& option, const std::string& loss) {
  if (settings.has(option) && settings.text("loss") != loss)
    throw InvalidOption(option, settings.text(option), "is of use only with --loss " + loss);
}

std::string weight_column(const Settings& settings) {
  const std::string name = settings.text("weight");
  const std::vector<std::string> targets = settings.list("target");
  if (settings.has("weight") && std::ranges::find(targets, name) != targets.end())
    throw InvalidOption("weight", name, "it is the target; name another column");
  return name;
}

// none, balanced, or yes=5,no=1
strata::ClassWeight class_weight(const Settings& settings) {
  using Rule = strata::ClassWeight::Rule;
  const std::string text = settings.text("class-weight", "none");
  if (text == "none") return {};
  if (text == "balanced") return {.rule = Rule::balanced};
  strata::ClassWeight given{.rule = Rule::given};
  for (const std::string& item : settings.list("class-weight")) {
    const std::size_t equals = item.rfind('=');
    const auto weight = equals == std::string::npos ? std::nullopt : as_number(item.substr(equals + 1));
    if (!weight)
      throw InvalidOption("class-weight", item, "use balanced, none, or weights such as yes=5,no=1");
    given.weights[item.substr(0, equals)] = *weight;
  }
  return given;
}

void read_loss(const Settings& settings, strata::FitOptions& options) {
  options.loss = settings.text("loss");
  require_loss(settings, "huber-delta", "huber");
  require_loss(settings, "levels", "quantile");
  options.loss_options.delta = settings.number("huber-delta").value_or(options.loss_options.delta);
  if (settings.has("levels")) options.loss_options.levels = numbers(settings, "levels");
  options.class_weight = class_weight(settings);
  options.calibrate = !settings.has("calibrate") || settings.on("calibrate");
}

void read_method(const Settings& settings, strata::FitOptions& options) {
  for (const OptionSpec& spec : method_option_specs()) {
    if (!settings.has(spec.name)) continue;
    const bool is_switch = spec.value.empty();
    options.method_options[spec.name] =
        is_switch ? (settings.on(spec.name) ? "on" : "off") : settings.text(spec.name);
  }
  options.l2 = l2(settings, options.l2);
  options.patience = settings.whole("patience").value_or(options.patience);
  options.early_stopping_metric = settings.text("early-stopping-metric", options.early_stopping_metric);
  options.average = settings.number("average").value_or(options.average);
  options.seed = settings.whole("seed").value_or(options.seed);
}

strata::Limits limits(const Settings& settings) {
  if (settings.has("epochs") && settings.has("sweeps"))
    throw InvalidOption("epochs", settings.text("epochs"), "is another name for sweeps; give one of them");
  const auto passes = settings.whole(settings.has("epochs") ? "epochs" : "sweeps");
  if (passes == std::uint64_t{0}) throw InvalidOption("sweeps", "0", "use 1 or more");
  return {.seconds = settings.seconds("time-limit"),
          .sweeps = passes,
          .evaluations = settings.whole("max-evaluations"),
          .gradient_norm = settings.number("gradient-tolerance"),
          .relative_decrease = settings.number("relative-decrease"),
          .objective_at_most = settings.number("objective-at-most")};
}

void require_protocol_fits(const Settings& settings) {
  for (const char* const fixed :
       {"target", "task", "loss", "weight", "test", "categorical", "numeric", "ignore", "missing", "unseen",
        "scale", "target-scale", "max-categories", "strict"})
    if (settings.has(fixed))
      throw InvalidOption(fixed, settings.text(fixed),
                          "is fixed by --protocol paper; leave one of the two out");
  if (!settings.has("raw"))
    throw InvalidOption("raw", "", "name the directory that holds the files of the paper's data sets");
  if (settings.has("validation") && settings.text("validation") != "none" &&
      !as_number(settings.text("validation")))
    throw InvalidOption("validation", settings.text("validation"),
                        "use a fraction of the training rows, or none, with --protocol paper");
}

// Who chooses one of the options that an effort stands for chooses all of them: those that are not given are plain. With an effort
// named beside them, they are the effort's.
bool effort_decides(const Settings& settings) {
  if (settings.has("effort"))
    for (const char* const other : {"protocol", "method"})
      if (settings.has(other))
        throw InvalidOption("effort", settings.text("effort"),
                            fmt::format("it is for the default method; leave it or --{} out", other));
  const auto knobs = {"protocol", "members", "hidden", "knots", "bends", "l2", "method"};
  return settings.has("effort") ||
         std::ranges::none_of(knobs, [&](const char* knob) { return settings.has(knob); });
}

// "squared, huber"
std::string loss_names(bool for_classes) {
  std::string names;
  for (const strata::LossInfo& loss : strata::losses())
    if (loss.for_classes == for_classes) names += (names.empty() ? "" : ", ") + std::string(loss.name);
  return names;
}

}  // namespace

std::vector<OptionSpec> train_option_specs() {
  std::vector<OptionSpec> specs{
      query_option_spec(data_group),
      {"target", "NAME", "column to predict, by name or by its position, counted from 1; several with commas",
       data_group, true},
      {"task", "KIND",
       "auto, regression or classification (auto: classification of a column of text, regression of numbers)",
       data_group},
      {"weight", "COLUMN",
       "column with the weight of each row in the loss and in the errors, 0 or more; it is no input (none)",
       data_group},
      {"test", "FILE|FRACTION", "test set: a file, or a fraction of the table drawn by the seed (none)",
       data_group},
      {"validation", "FILE|FRACTION",
       "early-stopping set: a file, a fraction of the training rows, or none (0.15)", data_group},
      {"categorical", "NAMES", "numeric columns to treat as categories", data_group, true},
      {"numeric", "NAMES", "text columns to treat as numbers", data_group, true},
      {"ignore", "NAMES", "columns to leave out", data_group, true},
      {"missing", "POLICY",
       "missing cells: refuse, drop the row, or impute, with an indicator column (impute)", data_group},
      {"unseen", "POLICY", "categories that were not in the training rows: refuse or zeros (zeros)",
       data_group},
      {"max-categories", "N", "leave out a text column with more categories (256)", data_group},
      {"strict", "", "refuse missing cells and targets, unseen categories and columns that can teach nothing",
       data_group},
      {"scale", "KIND", "scale of the inputs: standard, minmax or none (standard)", data_group},
      {"target-scale", "KIND", "scale of the target: standard, minmax or none (standard)", data_group},
      {"protocol", "paper",
       "use one of the paper's seven data sets, with its encoding, split, scaling, bias, initial "
       "weights and l2",
       data_group},
      {"raw", "DIR", "with --protocol: directory of the data files", data_group},
      {"reading", "NAME",
       "with --protocol: rules of the methods that the paper leaves open; paper, those that agree best with "
       "its "
       "tables, or presets, those used elsewhere (paper)",
       data_group},
      {"effort", "NAME",
       "quick, default or best: one network, six members, or twelve with more patience; in place of "
       "--members, --hidden, --knots, --bends, --l2 and --method (default)",
       network_group},
      {"members", "N", "networks from different starts, whose predictions are averaged (by --effort)",
       network_group},
      {"hidden", "WIDTHS", "widths of the hidden layers, or none (50,50,50)", network_group},
      {"activation", "NAME",
       strata::activation_names() + "; the last three are functions of the distance to a centre, for one "
                                    "hidden layer (sigmoid; gaussian for rbf-decomposition)",
       network_group},
      {"radial-width", "X",
       "width of radial functions: the distance from the centre in every scaled input at which a gaussian is "
       "1/e (1)",
       network_group},
      {"knots", "N",
       "piecewise-linear functions of each number with at most N knots, weights of their own for categories "
       "and missing cells; 0: a weight times each scaled number (0)",
       network_group},
      {"bends", "S,...",
       "how freely those functions may bend: a weight of 1 is a step of S; members take several in turn, and "
       "those that predict the validation rows best together are kept (0.1)",
       network_group, true},
      {"bias", "KIND", "per_layer, input or none (per_layer)", network_group},
      {"init", "KIND", "initial weights: glorot, he, uniform or normal (glorot)", network_group},
      {"init-scale", "X", "bound of uniform, deviation of normal weights (0.5)", network_group},
      {"loss", "NAME",
       fmt::format("{} for numbers, {} for classes (squared; of classes what fits their number)",
                   loss_names(false), loss_names(true)),
       method_group},
      {"huber-delta", "X",
       "huber: squared up to this residual, linear beyond, in units of the scaled target (1)", method_group},
      {"levels", "P,...", "quantile: the levels to predict, increasing (0.5)", method_group},
      {"class-weight", "WEIGHTS", "none, balanced, or a weight for labels: yes=5,no=1 (none)", method_group},
      {"calibrate", "on|off", "fit a temperature for the probabilities on the validation rows (on)",
       method_group},
      {"method", "NAME", "training method; strata methods lists them (blgn)", method_group},
      {"l2", "R",
       "L2 penalty: r in f = mean loss + r ||w||^2; auto: chosen by the validation error; paper: "
       "1e-3/(weights rows); rho: 1e-3/weights (1e-5)",
       method_group},
      {"seed", "N", "random seed of the split, the initial weights and the order of the rows (1)",
       method_group},
      {"threads", "N", "number of threads, 0 for one per core; the result does not depend on it (0)",
       method_group},
      {"memory", "SIZE",
       "500MB, 2GB: memory limit for rows, activations and derivatives; the result does not depend on it "
       "(half of the machine's)",
       method_group}};
  const auto of_methods = method_option_specs();
  specs.insert(specs.end(), of_methods.begin(), of_methods.end());
  const auto of_text = text_option_specs();
  specs.insert(specs.end(), of_text.begin(), of_text.end());
  const std::vector<OptionSpec> rest{
      {"patience", "N", "sweeps without improvement of the validation error; 0 disables early stopping (20)",
       stopping_group},
      {"early-stopping-metric", "NAME",
       "validation error to watch: loss, rmse, mae, r2, deviance or pinball; log_loss, accuracy, "
       "balanced_accuracy or auc (loss)",
       stopping_group},
      {"average", "N",
       "minibatch methods: try also the mean of the weights over about N sweeps, on the validation rows; 0 "
       "leaves it out (3)",
       stopping_group},
      {"time-limit", "TIME",
       "time limit: 90, 90s, 1.5m, 2h, from the start of the command, reading included; final errors and "
       "saving come after it; given alone, it replaces the method's limit on sweeps",
       stopping_group},
      {"clock", "KIND", "what the time limit counts: wall or processor seconds (wall)", stopping_group},
      {"sweeps", "N", "most passes over the data", stopping_group},
      {"epochs", "N", "the same as --sweeps", stopping_group},
      {"max-evaluations", "N", "most evaluations of the objective or of a part of it", stopping_group},
      {"gradient-tolerance", "X", "stop when the norm of the gradient is at most X", stopping_group},
      {"relative-decrease", "X",
       "stop when the objective decreases by at most this fraction in a sweep (batch methods)",
       stopping_group},
      {"objective-at-most", "X", "stop when the objective is at most X", stopping_group},
      {"model", "FILE", "file of the model (next to the data)", output_group},
      {"checkpoint", "FILE", "save the whole state of the run, so that it can be resumed", output_group},
      {"checkpoint-every", "TIME",
       "time between checkpoints (30s); one is also saved when the run is interrupted or ends", output_group},
      {"resume", "FILE",
       "resume from a checkpoint, with the same result as without the interruption; its options "
       "are used unless given again",
       output_group},
      {"trace", "FILE", "a record of every step and sweep, as JSON lines", output_group},
      {"history", "FILE", "a record of every sweep, as JSON lines", output_group},
      {"report", "FILE",
       "a page on the trained model: errors, charts and the importance of the inputs, on rows that did not "
       "train",
       output_group},
      {"config", "FILE", "read options from a TOML file, by the same names; the command line has priority",
       output_group},
      {"json", "", "print one JSON object instead of the summary", output_group},
      {"quiet", "", "print nothing but errors, and the object of --json", output_group}};
  specs.insert(specs.end(), rest.begin(), rest.end());
  return specs;
}

bool is_paper_protocol(const Settings& settings) {
  if (!settings.has("protocol")) {
    for (const char* const of_protocol : {"raw", "reading"})
      if (settings.has(of_protocol))
        throw InvalidOption(of_protocol, settings.text(of_protocol), "is of use only with --protocol paper");
    return false;
  }
  if (settings.text("protocol") != "paper")
    throw InvalidOption("protocol", settings.text("protocol"), "there is one protocol: paper");
  return true;
}

strata::FitOptions fit_options(const Settings& settings) {
  strata::FitOptions options;
  if (effort_decides(settings)) use_effort(options, settings.text("effort", "default"));
  if (is_paper_protocol(settings)) {
    require_protocol_fits(settings);
    options = strata::paper_options();
  } else {
    options.preprocess = preprocess_options(settings, options.preprocess);
    options.test = held_out(settings, "test", options.test);
  }
  options.validation = held_out(settings, "validation", options.validation);
  options.test.weight = options.validation.weight = weight_column(settings);
  if (settings.has("method")) use_method(options, settings.text("method"));
  read_network(settings, options);
  read_loss(settings, options);
  read_method(settings, options);
  if (is_paper_protocol(settings))
    options.method_options = with_reading(strata::reading(settings.text("reading", "paper")), options.method,
                                          options.method_options);
  options.limits = limits(settings);
  return options;
}

}  // namespace app
