#include "train_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rows.h"
#include "strata/core/errors.h"
#include "strata/model/effort.h"
#include "strata/trainers/presets.h"
#include "study/protocol.h"
#include "study/readings.h"
#include "text_options.h"

namespace app {

using strata::InvalidOption;

namespace {

const std::string method_options_group =
    "Options of some methods (strata methods NAME lists those of a method, with defaults)";

using Specs = std::vector<OptionSpec>;

void append(Specs& specs, const Specs& more) { specs.insert(specs.end(), more.begin(), more.end()); }

OptionSpec spec_of(const strata::OptionInfo& option) {
  OptionSpec spec{option.name, option.is_switch ? "" : option.placeholder, option.help, option.group,
                  option.placeholder == "NAMES"};
  if (option.is_switch && option.default_value == "on")
    spec.help += fmt::format("; --{} off: do not", option.name);
  return spec;
}

// Those of the library's options (FitOptions) that are in this group.
Specs fit_option_specs(const std::string& group) {
  Specs specs;
  for (const strata::OptionInfo& option : strata::fit_options()) {
    if (option.group != group) continue;
    specs.push_back(spec_of(option));
    if (!option.default_value.empty() && !option.is_switch)
      specs.back().help += fmt::format(" ({})", option.default_value);
  }
  return specs;
}

// Every option of any method, once, with the methods that take it.
Specs method_option_specs() {
  Specs specs;
  std::map<std::string, std::string> takers;
  for (const strata::MethodInfo& method : strata::methods())
    for (const strata::OptionInfo& option : strata::options_of(method.name)) {
      std::string& names = takers[option.name];
      if (names.empty()) specs.push_back(spec_of(option));
      names += (names.empty() ? "" : ", ") + std::string(method.name);
    }
  for (OptionSpec& spec : specs) {
    spec.group = method_options_group;
    spec.help += fmt::format(" ({})", takers[spec.name]);
  }
  return specs;
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

// Those that are given, by their texts.
void read_options(const Settings& settings, strata::FitOptions& options) {
  for (const strata::OptionInfo& option : strata::fit_options()) {
    if (!settings.has(option.name)) continue;
    const std::vector<std::string> last{settings.text(option.name)};
    set_option(options, option.name, option.has_items ? settings.list(option.name) : last, option.name);
  }
  if (settings.has("epochs")) {
    if (settings.has("sweeps"))
      throw InvalidOption("epochs", settings.text("epochs"), "is another name for sweeps; give one of them");
    set_option(options, "sweeps", {settings.text("epochs")}, "epochs");
  }
  for (const OptionSpec& spec : method_option_specs()) {
    if (!settings.has(spec.name)) continue;
    const bool is_switch = spec.value.empty();
    options.method_options[spec.name] =
        is_switch ? (settings.on(spec.name) ? "on" : "off") : settings.text(spec.name);
  }
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
  const auto knobs = {"protocol", "members",      "hidden", "knots", "bends",
                      "lines",    "interactions", "l2",     "method"};
  return settings.has("effort") ||
         std::ranges::none_of(knobs, [&](const char* knob) { return settings.has(knob); });
}

}  // namespace

std::vector<OptionSpec> train_option_specs() {
  const std::string data = "Data", network = "Network", method = "Method", stopping = "Stopping rules",
                    output = "Output";
  Specs specs = fit_option_specs(data);
  append(
      specs,
      {query_option_spec(data),
       {"weight", "COLUMN",
        "column with the weight of each row in the loss and in the errors, 0 or more; it is no input (none)",
        data},
       {"strict", "",
        "refuse missing cells and targets, unseen categories and columns that can teach nothing", data},
       {"protocol", "paper",
        "use one of the paper's seven data sets, with its encoding, split, scaling, bias, initial "
        "weights and l2",
        data},
       {"raw", "DIR", "with --protocol: directory of the data files", data},
       {"reading", "NAME",
        "with --protocol: rules of the methods that the paper leaves open; paper, those that agree best with "
        "its "
        "tables, or presets, those used elsewhere (paper)",
        data},
       {"effort", "NAME",
        "quick, default or best: one network, six members, or twelve with more patience; in place of "
        "--members, --hidden, --knots, --bends, --lines, --interactions, --l2 and --method (default)",
        network}});
  append(specs, fit_option_specs(network));
  append(specs, fit_option_specs(method));
  append(specs,
         {{"threads", "N", "number of threads, 0 for one per core; the result does not depend on it (0)",
           method},
          {"memory", "SIZE",
           "500MB, 2GB: memory limit for rows, activations and derivatives; the result does not depend on it "
           "(half of the machine's)",
           method}});
  append(specs, method_option_specs());
  append(specs, text_option_specs());
  append(specs, fit_option_specs(stopping));
  append(
      specs,
      {{"clock", "KIND", "what the time limit counts: wall or processor seconds (wall)", stopping},
       {"epochs", "N", "the same as --sweeps", stopping},
       {"model", "FILE", "file of the model (next to the data)", output},
       {"checkpoint", "FILE", "save the whole state of the run, so that it can be resumed", output},
       {"checkpoint-every", "TIME",
        "time between checkpoints (30s); one is also saved when the run is interrupted or ends", output},
       {"resume", "FILE",
        "resume from a checkpoint, with the same result as without the interruption; its options "
        "are used unless given again",
        output},
       {"trace", "FILE", "a record of every step and sweep, as JSON lines", output},
       {"history", "FILE", "a record of every sweep, as JSON lines", output},
       {"report", "FILE",
        "a page on the trained model: errors, charts and the importance of the inputs, on rows that did not "
        "train",
        output},
       {"config", "FILE", "read options from a TOML file, by the same names; the command line has priority",
        output},
       {"json", "", "print one JSON object instead of the summary", output},
       {"quiet", "", "print nothing but errors, and the object of --json", output}});
  for (OptionSpec& spec : specs)
    if (spec.group == stopping)
      spec.group += " (the first that is met ends the run; the method has defaults)";
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
  }
  require_loss(settings, "huber-delta", "huber");
  require_loss(settings, "levels", "quantile");
  if (settings.on("strict")) strata::make_strict(options.preprocess);
  if (settings.has("method")) use_method(options, settings.text("method"));
  read_options(settings, options);
  options.test.weight = options.validation.weight = weight_column(settings);
  options.limits.seconds_of_training = is_paper_protocol(settings);
  if (is_paper_protocol(settings))
    options.method_options = with_reading(strata::reading(settings.text("reading", "paper")), options.method,
                                          options.method_options);
  return options;
}

}  // namespace app
