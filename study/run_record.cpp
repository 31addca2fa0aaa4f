#include "study/run_record.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "strata/trainers/presets.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// The best objective so far against time: every improvement, then a few of them.
class Curve {
 public:
  void add(double seconds, double value) {
    if (!points_.empty() && !(value < points_.back().second)) return;
    if (std::isfinite(value)) points_.emplace_back(seconds, value);
  }

  // Evenly among the improvements; the first and the last are always there.
  [[nodiscard]] Json thinned() const {
    constexpr std::size_t most = 200;
    const std::size_t count = std::min(most, points_.size());
    Json list = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = count == 1 ? 0 : i * (points_.size() - 1) / (count - 1);
      list.push_back({points_[place].first, points_[place].second});
    }
    return list;
  }
  [[nodiscard]] bool empty() const { return points_.empty(); }

 private:
  std::vector<std::pair<double, double>> points_;
};

FitOptions options_for(const PlannedRun& run) {
  FitOptions options = paper_options();
  options.hidden = hidden_layers(run.network);
  options.bias = run.variant->bias;
  options.init = run.variant->init;
  options.method = run.method;
  options.method_options = with_reading(*run.variant->reading, run.method, run.variant->method_options);
  options.l2 = run.variant->l2;
  options.limits = {.seconds = run.limit,
                    .seconds_of_training = true,
                    .gradient_norm = run.variant->gradient_norm,
                    .relative_decrease = run.variant->relative_decrease};
  options.seed = run.seed;
  return options;
}

// Visits of a method on all rows start from and end at a full objective, and there may be few sweeps; those of a
// minibatch do not.
void watch(Observers& observers, const FitOptions& options, Curve& curve) {
  observers.sweep = [&](const SweepRecord& record) { curve.add(record.seconds, record.value); };
  const bool all_rows = preset(options.method, options.hidden.size() + 1).batches.size == 0;
  if (!all_rows) return;
  observers.step = [&](const StepRecord& record) {
    if (curve.empty()) curve.add(0, record.before);
    curve.add(record.seconds, record.after);
  };
}

std::string line_of(const PlannedRun& run, const FitResult& result, const Curve& curve) {
  Json fitted = Json::parse(to_json(result));
  const Json architecture = fitted["network"];
  fitted["network"] = run.network;
  Json record{{"data", run.data}, {"variant", run.variant->name}, {"limit", run.limit}};
  record.update(fitted);
  record["architecture"] = architecture;
  record["curve"] =
      curve.empty() ? Json::array({Json::array({result.training.seconds, nullptr})}) : curve.thinned();
  return record.dump();
}

}  // namespace

std::optional<std::string> make_run(const PlannedRun& run, const FitData& data, std::size_t threads,
                                    const std::function<bool()>& interrupt) {
  const FitOptions options = options_for(run);
  Engine engine({.threads = threads});
  FitHooks hooks;
  hooks.engine = &engine;
  hooks.interrupt = interrupt;
  if (threads == 1) hooks.clock = thread_clock();
  Curve curve;
  watch(hooks.observers, options, curve);
  const FitResult result = fit(data, options, hooks);
  if (result.training.reason == StopReason::user_request) return {};
  curve.add(result.training.seconds, result.training.value);
  return line_of(run, result, curve);
}

}  // namespace strata
