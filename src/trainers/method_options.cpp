#include "strata/trainers/method_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "strata/core/errors.h"
#include "strata/core/suggestion.h"
#include "strata/trainers/presets.h"

namespace strata {

namespace {

using Kind = MethodOption::Kind;
using Options = std::vector<MethodOption>;

// --- What each method takes. Defaults are those of the structs that the methods are made from.

MethodOption number(std::string name, double value, std::string help) {
  return {std::move(name), Kind::number, fmt::format("{}", value), std::move(help)};
}
MethodOption count(std::string name, std::size_t value, std::string help) {
  return {std::move(name), Kind::count, fmt::format("{}", value), std::move(help)};
}
MethodOption on_off(std::string name, bool value, std::string help) {
  return {std::move(name), Kind::on_off, value ? "on" : "off", std::move(help)};
}
MethodOption batch(std::size_t rows) { return count("batch", rows, "rows in a minibatch"); }
MethodOption order() { return {"order", Kind::order, "backward", "order in which the layers are visited"}; }
MethodOption precision(Precision value) {
  return {"precision", Kind::precision, value == Precision::float32 ? "float32" : "float64",
          "of activations and gradients on minibatches; all rows are always in float64"};
}
MethodOption iterations() {
  return count("iterations", B2ldOptions{}.iterations, "L-BFGS iterations in one visit or round");
}
MethodOption rate(double value) { return number("rate", value, "step size"); }
MethodOption decay() {
  return number("decay", StepSize{}.epsilon, "d in rate <- rate (1 - d rate) after every minibatch");
}

Options b2ld_options() {
  const B2ldOptions defaults;
  return {
      number("epsilon", defaults.epsilon, "gradient norm at which a layer is left alone, first sweep"),
      {"delta", Kind::fraction, fmt::format("{}", defaults.delta), "factor of epsilon from sweep to sweep"},
      iterations(),
      order(),
      on_off("gradient-every-sweep", !defaults.gradient_when_idle,
             "test the gradient after every sweep, not only after one that left all layers alone")};
}

Options blgn_options() {
  const GaussNewtonOptions defaults;
  const Scheme scheme = blgn();
  return {
      batch(scheme.batches.size),
      count("block-layers", BlocksThenAll{}.hidden_layers, "neighbouring hidden layers in a block"),
      number("damping", defaults.damping, "first damping of every block"),
      count("cg-iterations", static_cast<std::size_t>(defaults.solver.max_iterations),
            "conjugate gradient iterations in one visit, at most"),
      number("cg-tolerance", defaults.solver.relative_tolerance, "relative residual at which they end"),
      number("cg-set-up", defaults.solver.set_up,
             "what a visit costs beside them, in iterations: more are done only while they pay"),
      number("joint-rows", BlocksThenAll{}.rows_per_weight,
             "rows in the batch for every weight from which on all layers are also visited together"),
      count("joint-iterations", static_cast<std::size_t>(defaults.joint_iterations),
            "conjugate gradient iterations in such a visit"),
      number("noise-damping", defaults.noise_damping, "k in damping >= k f (1/batch - 1/rows)"),
      number("grow-below", scheme.batches.grow_below,
             "double the batch when an epoch's mean loss falls by less than this fraction, halved each time"),
      number("most-increase", scheme.look_ahead.most_increase,
             "undo a minibatch after which the next one's objective is larger by more than this fraction"),
      precision(scheme.batches.precision),
      order()};
}

Options incremental_options() { return {batch(ig().batches.size), rate(ig().step_size.first), decay()}; }

Options bling_options() {
  Options options = incremental_options();
  options[1].default_value = "0.5/max(1, layers - 2)";
  options.push_back(order());
  return options;
}

Options adam_options() {
  const AdamOptions defaults;
  return {
      batch(32),
      rate(defaults.rate),
      {"beta1", Kind::fraction, fmt::format("{}", defaults.beta1), "decay of the mean gradient"},
      {"beta2", Kind::fraction, fmt::format("{}", defaults.beta2), "decay of the mean squared gradient"},
      on_off("cosine", defaults.cosine, "let the rate fall to zero along a cosine until the limit is met"),
      precision(BatchOptions{}.precision)};
}

Options svrg_options() {
  return {batch(32), rate(SvrgOptions{}.rate),
          count("snapshot-every", SvrgOptions{}.snapshot_every, "epochs between full gradients")};
}

const std::map<std::string, Options, std::less<>>& table() {
  static const std::map<std::string, Options, std::less<>> all{
      {"b2ld", b2ld_options()},
      {"bld", {iterations(), order()}},
      {"lbfgs", {iterations(), count("pairs", WholeLbfgsOptions{}.memory, "pairs kept by L-BFGS")}},
      {"blgn", blgn_options()},
      {"bling", bling_options()},
      {"ig", incremental_options()},
      {"sg", incremental_options()},
      {"adam", adam_options()},
      {"adagrad", {batch(32), rate(AdagradOptions{}.rate)}},
      {"svrg", svrg_options()},
      {"saga", {batch(32), rate(SagaOptions{}.rate)}},
      {"elm", {}},
      {"two-block", incremental_options()},
  };
  return all;
}

// --- From text to fields

class Given {
 public:
  Given(std::string_view method, const MethodOptionValues& values) : values_(values) {
    for (const auto& [name, value] : values) find(method, name);
    for (const MethodOption& option : options_of(method)) options_.emplace(option.name, &option);
  }

  // Each overwrites the field where the option is given, and leaves it as it is otherwise.
  void read(std::string_view name, double& field) const {
    if (const std::string* text = given(name)) field = number(name, *text);
  }
  void read(std::string_view name, std::size_t& field) const {
    if (const std::string* text = given(name)) field = whole(name, *text);
  }
  void read(std::string_view name, int& field) const {
    if (const std::string* text = given(name)) field = static_cast<int>(whole(name, *text));
  }
  void read(std::string_view name, bool& field) const {
    const std::string* text = given(name);
    if (text == nullptr) return;
    if (*text != "on" && *text != "off") refuse(name, *text);
    field = *text == "on";
  }
  void read(std::string_view name, Precision& field) const {
    const std::string* text = given(name);
    if (text == nullptr) return;
    if (*text != "float32" && *text != "float64") refuse(name, *text);
    field = *text == "float32" ? Precision::float32 : Precision::float64;
  }
  bool read(std::string_view name, LayerOrder& field) const {  // whether it was given
    const std::string* text = given(name);
    if (text == nullptr) return false;
    if (*text == "backward")
      field = LayerOrder::backward;
    else if (*text == "forward")
      field = LayerOrder::forward;
    else if (*text == "random")
      field = LayerOrder::random;
    else
      refuse(name, *text);
    return true;
  }

 private:
  static void find(std::string_view method, const std::string& name) {
    std::vector<std::string> known;
    for (const MethodOption& option : options_of(method)) known.push_back(option.name);
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    throw InvalidOption("method", method, fmt::format("has no option '{}'{}", name, suggestion(name, known)));
  }

  [[nodiscard]] const std::string* given(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }

  [[noreturn]] void refuse(std::string_view name, const std::string& text) const {
    throw InvalidOption(name, text, fmt::format("use {}", accepted(options_.find(name)->second->kind)));
  }

  [[nodiscard]] double number(std::string_view name, const std::string& text) const {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool right =
        error == std::errc() && end == text.data() + text.size() && std::isfinite(value) && value > 0;
    const bool fraction = options_.find(name)->second->kind == Kind::fraction;
    if (!right || (fraction && value > 1)) refuse(name, text);
    return value;
  }

  [[nodiscard]] std::size_t whole(std::string_view name, const std::string& text) const {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > 1U << 30U)
      refuse(name, text);
    return value;
  }

  const MethodOptionValues& values_;
  std::map<std::string, const MethodOption*, std::less<>> options_;
};

B2ldOptions b2ld_from(const Given& given) {
  B2ldOptions options;
  given.read("epsilon", options.epsilon);
  given.read("delta", options.delta);
  given.read("iterations", options.iterations);
  bool every_sweep = !options.gradient_when_idle;
  given.read("gradient-every-sweep", every_sweep);
  options.gradient_when_idle = !every_sweep;
  return options;
}

WholeLbfgsOptions whole_lbfgs_from(const Given& given) {
  WholeLbfgsOptions options;
  given.read("iterations", options.iterations);
  given.read("pairs", options.memory);
  return options;
}

BlockLbfgsOptions block_lbfgs_from(const Given& given) {
  BlockLbfgsOptions options;
  given.read("iterations", options.solver.max_iterations);
  return options;
}

GaussNewtonOptions gauss_newton_from(const Given& given) {
  GaussNewtonOptions options;
  given.read("damping", options.damping);
  given.read("cg-iterations", options.solver.max_iterations);
  given.read("cg-tolerance", options.solver.relative_tolerance);
  given.read("cg-set-up", options.solver.set_up);
  given.read("joint-iterations", options.joint_iterations);
  given.read("noise-damping", options.noise_damping);
  return options;
}

BlocksThenAll blocks_then_all_from(const Given& given) {
  BlocksThenAll options;
  given.read("order", options.order);
  given.read("block-layers", options.hidden_layers);
  given.read("joint-rows", options.rows_per_weight);
  return options;
}

AdamOptions adam_from(const Given& given) {
  AdamOptions options;
  given.read("rate", options.rate);
  given.read("beta1", options.beta1);
  given.read("beta2", options.beta2);
  given.read("cosine", options.cosine);
  return options;
}

SvrgOptions svrg_from(const Given& given) {
  SvrgOptions options;
  given.read("rate", options.rate);
  given.read("snapshot-every", options.snapshot_every);
  return options;
}

template <class Options>
Options with_rate(const Given& given) {
  Options options;
  given.read("rate", options.rate);
  return options;
}

// Parts that are made from an options struct and cannot be changed afterwards.
Scheme from_structs(std::string_view method, std::size_t layers, const Given& given) {
  if (method == "b2ld") return b2ld(b2ld_from(given));
  if (method == "lbfgs") return whole_lbfgs(whole_lbfgs_from(given));
  Scheme scheme = preset(method, layers);
  UpdateRecipe& update = scheme.updates.hidden;
  if (method == "bld") update = lbfgs(block_lbfgs_from(given));
  if (method == "blgn") update = gauss_newton(gauss_newton_from(given));
  if (method == "adam") update = adam(adam_from(given));
  if (method == "adagrad") update = adagrad(with_rate<AdagradOptions>(given));
  if (method == "svrg") update = svrg(svrg_from(given));
  if (method == "saga") update = saga(with_rate<SagaOptions>(given));
  return scheme;
}

}  // namespace

std::string_view accepted(MethodOption::Kind kind) {
  switch (kind) {
    case Kind::number: return "a number above 0";
    case Kind::fraction: return "a number above 0, at most 1";
    case Kind::count: return "a whole number of at least 1";
    case Kind::on_off: return "on or off";
    case Kind::order: return "backward, forward or random";
    case Kind::precision: return "float32 or float64";
  }
  return "";
}

const std::vector<MethodOption>& options_of(std::string_view method) {
  const auto found = table().find(method);
  if (found == table().end()) preset(method, 1);  // refuses it, with the names there are
  return found->second;
}

Scheme preset(std::string_view method, std::size_t layers, const MethodOptionValues& values) {
  const Given given(method, values);
  Scheme scheme = from_structs(method, layers, given);
  given.read("batch", scheme.batches.size);
  if (method == "blgn") {
    scheme.selection = blocks_then_all(blocks_then_all_from(given));
  } else if (LayerOrder order{}; given.read("order", order)) {
    scheme.selection = every_layer(order);
  }
  given.read("decay", scheme.step_size.epsilon);
  given.read("grow-below", scheme.batches.grow_below);
  given.read("precision", scheme.batches.precision);
  given.read("most-increase", scheme.look_ahead.most_increase);
  // Where the step size is the scheme's, so is the rate; the others have made their update from it.
  given.read("rate", scheme.step_size.first);
  return scheme;
}

}  // namespace strata
