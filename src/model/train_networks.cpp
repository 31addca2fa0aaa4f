#include "model/train_networks.h"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "model/early_stopping.h"
#include "strata/trainers/adaptive_l2.h"
#include "strata/trainers/presets.h"

namespace strata {

namespace {

double l2_of(const L2& l2, const Network& network, const PackedRows& train) {
  const auto weights = static_cast<double>(network.size());
  if (l2.rule == L2::Rule::rho) return 1e-3 / weights;
  if (l2.rule == L2::Rule::paper) return 1e-3 / (weights * static_cast<double>(train.rows()));
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
  if (options.usual_sweeps) scheme.stopping.max_sweeps = *options.usual_sweeps;
  apply(options.limits, scheme.stopping);
  scheme.stopping.interrupt = hooks.interrupt;
  scheme.stopping.callback = hooks.after_sweep;
  scheme.observers = hooks.observers;
  scheme.reporting.steps = false;  // who wants the steps observes them
  return scheme;
}

class NetworkTraining {
 public:
  NetworkTraining(Model model, const FitOptions& options, const FitHooks& hooks,
                  std::span<const double> class_factors)
      : model_(std::move(model)),
        loss_(model_.loss.make()),
        options_(options),
        hooks_(hooks),
        class_factors_(class_factors),
        at_once_(members_at_once(model_.networks.size(), *hooks.engine)) {
    if (options_.limits.seconds)  // members take turns
      *options_.limits.seconds *= static_cast<double>(at_once_) / static_cast<double>(model_.networks.size());
  }

  TrainedNetworks run(const MemberRows& rows) {
    if (hooks_.started)
      hooks_.started({options_.method, rows.all.rows(), model_.networks.size(),
                      model_.networks.front().size(), model_.networks.front().architecture(),
                      model_.preprocessor, scheme(hooks_).stopping, rows.all.storage()});
    results_.resize(model_.networks.size());
    check_members_of(hooks_.checkpoints.resume, model_.networks.size());
    if (model_.networks.size() == 1)
      results_[0] = train_one(0, {rows.all, rows.validation}, hooks_);
    else
      results_ = train_members(model_.networks.size(), rows, hooks_,
                               [this](std::size_t member, const TrainingRows& its, const FitHooks& hooks) {
                                 return train_one(member, its, hooks);
                               });
    return usable();
  }

 private:
  [[nodiscard]] Scheme scheme(const FitHooks& hooks) const {
    return make_scheme(options_, model_.networks.front().layers(), hooks);
  }
  // Validation rows end a run long before rounding matters, and long before the end that L-BFGS is for; batches that grow
  // early would let them end it early, at a larger error.
  [[nodiscard]] Scheme scheme(const FitHooks& hooks, const TrainingRows& rows) const {
    Scheme made = scheme(hooks);
    if (rows.validation == nullptr) return made;
    made.batches.grow_in_short_epochs = false;
    if (auto* blocks = std::get_if<BlocksThenAll>(&made.selection)) blocks->alone_on_all_rows = false;
    if (auto* steps = std::get_if<GaussNewtonOptions>(&made.updates.hidden)) steps->joint_lbfgs = 0;
    if (made.batches.precision == Precision::float32) made.batches.all_rows = Precision::float32;
    return made;
  }

  [[nodiscard]] Validation validation(const PackedRows* rows) const {
    if (rows == nullptr) return {};
    return {.patience = options_.patience,
            .least_gain = options_.least_gain,
            .average = options_.average,
            .error = early_stopping_error(options_.early_stopping_metric, model_, *rows, class_factors_)};
  }

  TrainingResult train_one(std::size_t member, const TrainingRows& rows, const FitHooks& hooks) {
    Network& network = model_.networks[member];
    TrainOptions train_options{
        .objective = {.l2 = l2_of(options_.l2, network, rows.training), .loss = loss_.get()},
        .engine = hooks.engine,
        .seed = member_seed(options_.seed, member),
        .validation = validation(rows.validation),
        .clock = hooks.clock,
        .checkpoints = hooks.checkpoints,
        .charge_all = !options_.limits.seconds_of_training};
    if (model_.networks.size() == 1 && model_.preprocessor.classes().empty())
      train_options.measure_result = [](bool in_one_pass) { return !in_one_pass; };
    double l2 = train_options.objective.l2;
    TrainingResult result;
    if (options_.l2.rule == L2::Rule::automatic && rows.validation != nullptr) {
      AdaptiveL2Result adaptive = train_with_adaptive_l2(network, rows, scheme(hooks, rows), train_options);
      l2 = adaptive.l2;
      result = std::move(adaptive.training);
    } else {
      result = train(network, rows, scheme(hooks, rows), train_options);
    }
    if (member == 0) l2_ = l2;
    return result;
  }

  // Without members that have no finite objective, or that an interruption kept from their first sweep; one is kept in any
  // case.
  TrainedNetworks usable() {
    TrainedNetworks kept{.l2 = l2_};
    const auto keep = [&](std::size_t m) {
      if (kept.networks.empty())
        kept.squared_norm = squared_norm(std::as_const(model_.networks[m]).weights());
      kept.networks.push_back(with_usual_weights(model_.networks[m]));
      kept.results.push_back(std::move(*results_[m]));
      kept.members.push_back(m);
    };
    for (std::size_t m = 0; m < model_.networks.size(); ++m)
      if (results_[m] && std::isfinite(results_[m]->value) && !results_[m]->history.empty()) keep(m);
    for (std::size_t m = 0; m < model_.networks.size() && kept.networks.empty(); ++m)
      if (results_[m]) keep(m);
    kept.summary = summed_up(kept.results, at_once_);
    return kept;
  }

  Model model_;  // with the networks as they are trained
  std::unique_ptr<const Loss> loss_;
  FitOptions options_;
  const FitHooks& hooks_;
  std::span<const double> class_factors_;
  std::size_t at_once_;
  std::vector<std::optional<TrainingResult>> results_;
  double l2_ = 0;
};

}  // namespace

TrainedNetworks train_networks(Model model, const MemberRows& rows, const FitOptions& options,
                               const FitHooks& hooks, std::span<const double> class_factors) {
  return NetworkTraining(std::move(model), options, hooks, class_factors).run(rows);
}

}  // namespace strata
