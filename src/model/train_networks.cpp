#include "model/train_networks.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "strata/core/errors.h"
#include "strata/trainers/presets.h"

namespace strata {

namespace {

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

class NetworkTraining {
 public:
  NetworkTraining(std::vector<Network> networks, const Preprocessor& preprocessor, const Loss& loss,
                  const FitOptions& options, const FitHooks& hooks)
      : networks_(std::move(networks)),
        preprocessor_(preprocessor),
        loss_(loss),
        options_(options),
        hooks_(hooks),
        at_once_(members_at_once(networks_.size(), *hooks.engine)) {
    if (options_.limits.seconds)  // members take turns
      *options_.limits.seconds *= static_cast<double>(at_once_) / static_cast<double>(networks_.size());
  }

  TrainedNetworks run(const MemberRows& rows) {
    const bool along_path = options_.l2.rule == L2::Rule::automatic;
    if (along_path && (hooks_.checkpoints.save || hooks_.checkpoints.resume != nullptr))
      throw InvalidOption("l2", "auto",
                          "a path of runs has no checkpoints; give a number, or leave the checkpoint out");
    if (hooks_.started)
      hooks_.started({options_.method, rows.all.rows(), networks_.size(), networks_.front().size(),
                      networks_.front().architecture(), preprocessor_, scheme(hooks_).stopping});
    results_.resize(networks_.size());
    check_members_of(hooks_.checkpoints.resume, networks_.size());
    if (networks_.size() == 1) {
      results_[0] = train_one(0, {rows.all, rows.validation}, hooks_);
    } else {
      // The first chooses l2 for all.
      if (along_path) train_some(0, 1, rows);
      train_some(along_path ? 1 : 0, networks_.size(), rows);
    }
    return usable();
  }

 private:
  void train_some(std::size_t first, std::size_t end, const MemberRows& rows) {
    auto found = train_members(first, end, rows, hooks_,
                               [this](std::size_t member, const TrainingRows& its, const FitHooks& hooks) {
                                 return train_one(member, its, hooks);
                               });
    for (std::size_t m = first; m < end; ++m) results_[m] = std::move(found[m]);
  }

  [[nodiscard]] Scheme scheme(const FitHooks& hooks) const {
    return make_scheme(options_, networks_.front().layers(), hooks);
  }

  TrainingResult train_one(std::size_t member, const TrainingRows& rows, const FitHooks& hooks) {
    Network& network = networks_[member];
    const bool along_path = options_.l2.rule == L2::Rule::automatic && member == 0;
    const double l2 = member > 0 && options_.l2.rule == L2::Rule::automatic
                          ? l2_
                          : l2_of(options_.l2, network, rows.training);
    const TrainOptions train_options{
        .objective = {.l2 = l2, .loss = &loss_},
        .engine = hooks.engine,
        .seed = member_seed(options_.seed, member),
        .validation = {.patience = rows.validation != nullptr ? options_.patience : 0},
        .clock = hooks.clock,
        .checkpoints = hooks.checkpoints};
    if (!along_path) {
      if (member == 0) l2_ = l2;
      return train(network, rows, scheme(hooks), train_options);
    }
    L2PathResult chosen = train_along_l2_path(network, rows, scheme(hooks), train_options);
    l2_ = chosen.l2;
    l2_path_ = std::move(chosen.path);
    return std::move(chosen.training);
  }

  // Without members that have no finite objective, or that an interruption kept from their first sweep; one is kept in any
  // case.
  TrainedNetworks usable() {
    TrainedNetworks kept{.l2 = l2_, .l2_path = std::move(l2_path_)};
    const auto keep = [&](std::size_t m) {
      kept.networks.push_back(std::move(networks_[m]));
      kept.results.push_back(std::move(*results_[m]));
      kept.members.push_back(m);
    };
    for (std::size_t m = 0; m < networks_.size(); ++m)
      if (results_[m] && std::isfinite(results_[m]->value) && !results_[m]->history.empty()) keep(m);
    for (std::size_t m = 0; m < networks_.size() && kept.networks.empty(); ++m)
      if (results_[m]) keep(m);
    kept.summary = summed_up(kept.results, at_once_);
    return kept;
  }

  std::vector<Network> networks_;
  const Preprocessor& preprocessor_;
  const Loss& loss_;
  FitOptions options_;
  const FitHooks& hooks_;
  std::size_t at_once_;
  std::vector<std::optional<TrainingResult>> results_;
  double l2_ = 0;
  std::vector<L2PathPoint> l2_path_;
};

}  // namespace

TrainedNetworks train_networks(std::vector<Network> networks, const Preprocessor& preprocessor,
                               const MemberRows& rows, const Loss& loss, const FitOptions& options,
                               const FitHooks& hooks) {
  return NetworkTraining(std::move(networks), preprocessor, loss, options, hooks).run(rows);
}

}  // namespace strata
