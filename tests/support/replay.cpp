#include "support/replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace strata {

namespace {

// Two engines, and the output layer's quadratic form, round differently: by this, relative to the numbers that an
// evaluation adds up.
constexpr double rounding = 1e-12;

double length(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

// Root of the weighted mean of ||y||^2.
double target_size(const Dataset& data) {
  double squares = 0;
  double weights = 0;
  for (std::size_t p = 0; p < data.rows; ++p) {
    const double weight = data.weights.empty() ? 1 : data.weights[p];
    squares += weight * squared_norm(data.y().row(p));
    weights += weight;
  }
  return std::sqrt(squares / weights);
}

// Root mean squares over the rows of the outputs, and of the loss's derivative with respect to them.
struct Sizes {
  double outputs;
  double deltas;
};
Sizes sizes_of(const Network& network, const Dataset& data, const Loss& loss) {
  const std::size_t outputs = network.architecture().outputs;
  Vector out(outputs), delta(outputs), features(data.features());
  double of_outputs = 0;
  double of_deltas = 0;
  for (std::size_t p = 0; p < data.rows; ++p) {
    data.write_features(p, {features.data(), 1, features.size()});
    network.predict({features.data(), 1, features.size()}, {out.data(), 1, outputs});
    loss.value_and_delta({out.data(), outputs, 1}, {data.y().row(p).data(), data.outputs, 1}, {}, 1, 1,
                         {delta.data(), outputs, 1});
    of_outputs += squared_norm(out);
    of_deltas += squared_norm(delta);
  }
  const auto rows = static_cast<double>(data.rows);
  return {std::sqrt(of_outputs / rows), std::sqrt(of_deltas / rows)};
}

class Replay {
 public:
  Replay(const Network& start, const Dataset& data, const ObjectiveOptions& options,
         const ArmijoAcceptance& acceptance)
      : network_(start),
        data_(data),
        rows_(data),
        objective_(network_, rows_, plain(options)),
        acceptance_(acceptance),
        target_size_(target_size(data)),
        gradient_(start.size()) {}

  // The sentence without its head; empty: the line is confirmed, and the weights are those after the step.
  std::string check(const RecordedStep& step);

 private:
  struct Candidate {  // a point that Algorithm 1 may have ended with
    double step;
    double value;
  };

  static ObjectiveOptions plain(ObjectiveOptions options) {
    options.kernels = KernelSet::reference;
    return options;
  }

  double value_at(std::span<const double> weights) {
    std::copy(weights.begin(), weights.end(), network_.weights().begin());
    objective_.refresh();
    return objective_.value();
  }

  // How much two evaluations near this value may differ: an error of the outputs, themselves sums of weights, enters
  // the loss multiplied by its derivative.
  [[nodiscard]] double slack(double value) const {
    return rounding * (std::abs(value) + slope_ * size_) + terms_;
  }
  [[nodiscard]] double forcing(double distance) const {
    return acceptance_.coefficient * std::pow(distance, acceptance_.power);
  }

  void expect(std::string_view field, double recorded, double recomputed, double tolerance);
  void expect(std::string_view field, bool recorded, bool recomputed);

  void find_places(Block block);
  void check_start(const StepRecord& r);
  void check_weights(const StepRecord& r, std::span<const double> weights);
  void check_end(const StepRecord& r, std::span<const double> weights);
  void check_armijo(const StepRecord& r);
  void check_conditions(const StepRecord& r, std::span<const double> weights);
  void check_refusal(const StepRecord& r);
  void find_armijo_points();
  [[nodiscard]] bool is_armijo_point(std::span<const double> weights) const;
  [[nodiscard]] bool trial_stands(const StepRecord& r) const;

  Network network_;
  const Dataset& data_;
  PackedRows rows_;
  Objective objective_;
  ArmijoAcceptance acceptance_;
  double target_size_;

  // About the current step.
  Vector before_;                    // all weights
  Vector gradient_;                  // all of it, before the step
  std::vector<std::size_t> places_;  // of the block's weights among all
  double f_ = 0;
  double norm_ = 0;      // of the block's gradient
  double distance_ = 0;  // ||w~ - w||
  double after_ = 0;
  double size_ = 0;   // magnitude of what an evaluation adds up
  double slope_ = 0;  // of the derivative of the loss
  double terms_ = 0;  // rounding of a quadratic form along the step
  std::vector<Candidate> armijo_;
  std::string problem_;
};

void Replay::expect(std::string_view field, double recorded, double recomputed, double tolerance) {
  if (!problem_.empty()) return;
  const bool agree =
      std::isfinite(recomputed) ? std::abs(recorded - recomputed) <= tolerance : !std::isfinite(recorded);
  if (!agree)
    problem_ = fmt::format("{} is recorded as {:.17g}, recomputed as {:.17g}", field, recorded, recomputed);
}

void Replay::expect(std::string_view field, bool recorded, bool recomputed) {
  if (problem_.empty() && recorded != recomputed)
    problem_ = fmt::format("{} is recorded as {}, recomputed as {}", field, recorded, recomputed);
}

void Replay::find_places(Block block) {
  places_.clear();
  const std::size_t begin = network_.offset(block);
  if (block.is_part()) {
    const std::size_t width = network_.architecture().width(block.first);
    for (std::size_t row = 0; row < network_.architecture().fan_in(block.first); ++row)
      for (std::size_t j = 0; j < block.neurons; ++j)
        places_.push_back(begin + row * width + block.neuron + j);
  } else {
    for (std::size_t i = 0; i < network_.size(block); ++i) places_.push_back(begin + i);
  }
}

void Replay::check_start(const StepRecord& r) {
  const std::span<const double> weights = std::as_const(network_).weights();
  before_.assign(weights.begin(), weights.end());
  find_places(r.block);
  objective_.refresh();
  f_ = objective_.value_and_gradient(gradient_);
  double squares = 0;
  for (const std::size_t i : places_) squares += gradient_[i] * gradient_[i];
  norm_ = std::sqrt(squares);
  const Sizes sizes = sizes_of(network_, data_, *objective_.options().loss);
  size_ = target_size_ + sizes.outputs + length(before_);
  slope_ = sizes.deltas;
  terms_ = 0;
  expect("before", r.before, f_, slack(f_));
  expect("gradient_norm", r.gradient_norm, norm_, rounding * (norm_ + size_ * size_));
}

void Replay::check_weights(const StepRecord& r, std::span<const double> weights) {
  for (std::size_t i = 0; i < weights.size() && problem_.empty(); ++i)
    if (!std::binary_search(places_.begin(), places_.end(), i))
      expect(fmt::format("weight {} outside the block", i), weights[i], before_[i], 0);
  double squares = 0;
  for (const std::size_t i : places_) {
    const double d = weights[i] - before_[i];
    squares += d * d;
    terms_ += rounding * std::abs(gradient_[i] * d);
  }
  distance_ = std::sqrt(squares);
  const bool unchanged = r.skipped || r.refused;
  expect(unchanged ? "step_length of a block left as it was" : "step_length", r.step_length,
         unchanged ? 0 : distance_, rounding * distance_);
  if (unchanged) expect("change of a block left as it was", distance_, 0, 0);
}

void Replay::check_end(const StepRecord& r, std::span<const double> weights) {
  after_ = value_at(weights);
  expect("after", r.after, after_, slack(std::max(f_, after_)));
}

// Algorithm 1 along minus the block's gradient. Where rounding decides whether a trial is refused, both answers stand.
void Replay::find_armijo_points() {
  const ArmijoOptions& rule = acceptance_.line_search;
  armijo_.clear();
  Vector point(before_);
  double step = rule.first_step;
  for (int trial = 0; trial < rule.max_trials; ++trial, step *= rule.shrink) {
    for (const std::size_t i : places_) point[i] = before_[i] - step * gradient_[i];
    const double value = value_at(point);
    const double excess = value - (f_ - rule.decrease * step * norm_ * norm_);
    const double unsure = 2 * slack(f_);
    if (!(excess <= unsure)) continue;
    armijo_.push_back({step, value});
    if (excess < -unsure) return;
  }
  armijo_.push_back({0, f_});
}

void Replay::check_armijo(const StepRecord& r) {
  find_armijo_points();
  const auto distance = [&r](const Candidate& c) { return std::abs(c.value - r.armijo); };
  const auto nearest = std::min_element(armijo_.begin(), armijo_.end(), [&](const auto& a, const auto& b) {
    return distance(a) < distance(b);
  });
  expect("armijo", r.armijo, nearest->value, slack(f_));
}

bool Replay::is_armijo_point(std::span<const double> weights) const {
  const auto matches = [&](const Candidate& c) {
    const double tolerance = rounding * (length(before_) + c.step * (norm_ + size_ * size_));
    for (const std::size_t i : places_)
      if (!(std::abs(weights[i] - (before_[i] - c.step * gradient_[i])) <= tolerance)) return false;
    return true;
  };
  return std::any_of(armijo_.begin(), armijo_.end(), matches);
}

bool Replay::trial_stands(const StepRecord& r) const {
  return std::isfinite(r.trial) && std::isfinite(r.trial_length) && r.trial_length > 0 &&
         r.trial <= r.armijo && r.before - r.trial - forcing(r.trial_length) >= 0;
}

// The recorded trial decides whether to fall back; the point taken must then satisfy (1) and (2) itself.
void Replay::check_conditions(const StepRecord& r, std::span<const double> weights) {
  expect("fallback", r.fallback, !trial_stands(r));
  if (r.fallback) {
    expect("fallback to the Armijo point", true, is_armijo_point(weights));
  } else {
    expect("trial", r.trial, after_, slack(std::max(f_, after_)));
    expect("trial_length", r.trial_length, distance_, rounding * distance_);
  }
  const double tolerance = 2 * slack(f_);
  expect("margin_armijo", r.margin_armijo, r.armijo - after_, tolerance);
  expect("margin_forcing", r.margin_forcing, f_ - after_ - forcing(distance_), tolerance);
  expect("condition (1)", true, r.margin_armijo >= 0);
  expect("condition (2)", true, r.margin_forcing >= 0);
}

// Neither the trial nor any Armijo point may be usable.
void Replay::check_refusal(const StepRecord& r) {
  expect("after of a block left as it was", r.after, r.before, 0);
  expect("fallback of a block left as it was", r.fallback, false);
  if (!std::isfinite(f_) || !std::isfinite(norm_)) return;
  check_armijo(r);
  const auto refusable = [this](const Candidate& c) {
    return c.step == 0 || f_ - c.value - forcing(c.step * norm_) < 2 * slack(f_);
  };
  expect("refused", true, !trial_stands(r));
  expect("refused", true, std::any_of(armijo_.begin(), armijo_.end(), refusable));
}

std::string Replay::check(const RecordedStep& step) {
  const StepRecord& r = step.record;
  problem_.clear();
  if (!network_.architecture().has(r.block))
    return fmt::format("block is recorded as {}..{}, but the network has {} layers", r.block.first,
                       r.block.last, network_.layers());
  if (step.weights.size() != network_.size())
    return fmt::format("weights are recorded as {} numbers, but the network has {}", step.weights.size(),
                       network_.size());
  check_start(r);
  check_weights(r, step.weights);
  if (problem_.empty()) check_end(r, step.weights);
  if (problem_.empty() && r.refused) check_refusal(r);
  if (problem_.empty() && !r.refused && !r.skipped) {
    check_armijo(r);
    check_conditions(r, step.weights);
  }
  value_at(step.weights);
  return problem_;
}

}  // namespace

void StepRecorder::attach(Scheme& scheme) {
  scheme.observers.step = [this, earlier = std::move(scheme.observers.step)](const StepRecord& record) {
    if (earlier) earlier(record);
    const auto weights = network_->weights();
    steps_.push_back({record, Vector(weights.begin(), weights.end())});
  };
}

std::optional<std::string> find_disagreement(const Network& start, const Dataset& data,
                                             const ObjectiveOptions& objective,
                                             const ArmijoAcceptance& acceptance,
                                             std::span<const RecordedStep> steps) {
  Replay replay(start, data, objective, acceptance);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepRecord& r = steps[i].record;
    if (const std::string problem = replay.check(steps[i]); !problem.empty())
      return fmt::format("step {} (sweep {}, layers {} to {}): {}.", i, r.sweep, r.block.first, r.block.last,
                         problem);
  }
  return {};
}

}  // namespace strata
