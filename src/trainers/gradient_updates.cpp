// Minibatch updates: one gradient, one step in place. Each follows its own paper; the formula stands above it.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "strata/core/errors.h"
#include "strata/trainers/update.h"
#include "trainers/saved_parts.h"

namespace strata {

namespace {

void require_positive(std::string_view field, double value) {
  if (!(value > 0) || std::isinf(value))
    throw InvalidOption(field, std::to_string(value), "use a positive number");
}

void require_fraction(std::string_view field, double value) {
  if (!(value >= 0 && value < 1)) throw InvalidOption(field, std::to_string(value), "use a number in [0, 1)");
}

// Gradient of the batch at the current weights, then `move`. A gradient that is not finite moves nothing.
class GradientUpdate : public Update {
 public:
  void apply(StepContext& step) final {
    StepRecord& record = step.record;
    const Work start = step.objective.work();
    BlockObjective f = step.objective.open(step.block);
    const auto weights = step.network.weights(step.block);
    gradient_.resize(weights.size());
    const auto [loss, squared_norm] = f.gradient(weights, gradient_);
    record.before = loss;
    record.gradient_norm = std::sqrt(squared_norm);
    record.iterations = 1;
    if (std::isfinite(record.before) && std::isfinite(record.gradient_norm) &&
        move(f, weights, gradient_, step)) {
      step.objective.commit(step.block, weights);
    } else {
      record.refused = true;
      record.reason = StopReason::non_finite;
      record.message = "the gradient is not finite: no step taken, step size halved";
    }
    record.work = step.objective.work() - start;
  }

 protected:
  // False: another gradient it needs is not finite, nothing was moved.
  virtual bool move(BlockObjective& f, std::span<double> weights, std::span<double> gradient,
                    StepContext& step) = 0;

 private:
  Vector gradient_;
};

// w <- w - alpha / max(beta, min(gamma, ||G||)) G     (Palagi & Seccia, Algorithm 5), or w <- w - alpha G
class GradientStep final : public GradientUpdate {
 public:
  explicit GradientStep(const GradientStepOptions& options) : options_(options) {
    if (!options.normalisation) return;
    require_positive("normalisation.least", options.normalisation->least);
    require_positive("normalisation.most", options.normalisation->most);
    if (options.normalisation->least > options.normalisation->most)
      throw InvalidOption("normalisation.least", std::to_string(options.normalisation->least),
                          "use a number not above normalisation.most");
  }

  void save(State& state) const override { put_options(state, "gradient_step", option_list()); }
  void restore(const State& state) override { require_options(state, "gradient_step", option_list()); }

 private:
  bool move(BlockObjective& /*f*/, std::span<double> weights, std::span<double> gradient,
            StepContext& step) override {
    const double scale = options_.sum ? static_cast<double>(step.objective.selected_rows()) : 1;
    double alpha = step.step_size * step.step_cut;
    if (const auto& bounds = options_.normalisation)
      alpha /= std::max(bounds->least, std::min(bounds->most, scale * step.record.gradient_norm));
    add_scaled(weights, -alpha * scale, gradient);
    step.record.step_size = alpha;
    return true;
  }

  [[nodiscard]] OptionList option_list() const {
    const Normalisation bounds = options_.normalisation.value_or(Normalisation{0, 0});
    return {{"normalisation.least", bounds.least},
            {"normalisation.most", bounds.most},
            {"sum", options_.sum ? 1 : 0}};
  }

  GradientStepOptions options_;
};

// m <- b1 m + (1-b1) G,  v <- b2 v + (1-b2) G^2,  w <- w - rate m^ / (sqrt(v^) + eps), hats: bias-corrected
// (Kingma & Ba 2015).
class Adam final : public GradientUpdate {
 public:
  Adam(const AdamOptions& options, std::size_t size) : options_(options), m_(size, 0.0), v_(size, 0.0) {
    require_positive("adam.rate", options.rate);
    require_positive("adam.epsilon", options.epsilon);
    require_fraction("adam.beta1", options.beta1);
    require_fraction("adam.beta2", options.beta2);
  }

  void save(State& state) const override {
    put_options(state, "adam", option_list());
    state.put("m", m_);
    state.put("v", v_);
    state.put("steps", steps_);
  }
  void restore(const State& state) override {
    require_options(state, "adam", option_list());
    state.get("m", std::span(m_));
    state.get("v", std::span(v_));
    state.get("steps", steps_);
  }

 private:
  bool move(BlockObjective& /*f*/, std::span<double> weights, std::span<double> gradient,
            StepContext& step) override {
    ++steps_;
    double rate = options_.rate * step.step_cut;
    if (options_.cosine) rate *= (1 + std::cos(std::numbers::pi * std::min(1.0, step.progress))) / 2;
    const double correct1 = 1 - std::pow(options_.beta1, steps_);
    const double correct2 = 1 - std::pow(options_.beta2, steps_);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double g = gradient[i];
      m_[i] = options_.beta1 * m_[i] + (1 - options_.beta1) * g;
      v_[i] = options_.beta2 * v_[i] + (1 - options_.beta2) * g * g;
      weights[i] -= rate * (m_[i] / correct1) / (std::sqrt(v_[i] / correct2) + options_.epsilon);
    }
    step.record.step_size = rate;
    return true;
  }

  [[nodiscard]] OptionList option_list() const {
    return {{"rate", options_.rate},
            {"beta1", options_.beta1},
            {"beta2", options_.beta2},
            {"epsilon", options_.epsilon},
            {"cosine", options_.cosine ? 1 : 0}};
  }

  AdamOptions options_;
  Vector m_, v_;
  double steps_ = 0;
};

// s <- s + G^2,  w <- w - rate G / (sqrt(s) + eps)     (Duchi, Hazan & Singer 2011)
class Adagrad final : public GradientUpdate {
 public:
  Adagrad(const AdagradOptions& options, std::size_t size) : options_(options), squares_(size, 0.0) {
    require_positive("adagrad.rate", options.rate);
    require_positive("adagrad.epsilon", options.epsilon);
  }

  void save(State& state) const override {
    put_options(state, "adagrad", option_list());
    state.put("squares", squares_);
  }
  void restore(const State& state) override {
    require_options(state, "adagrad", option_list());
    state.get("squares", std::span(squares_));
  }

 private:
  bool move(BlockObjective& /*f*/, std::span<double> weights, std::span<double> gradient,
            StepContext& step) override {
    const double rate = options_.rate * step.step_cut;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      squares_[i] += gradient[i] * gradient[i];
      weights[i] -= rate * gradient[i] / (std::sqrt(squares_[i]) + options_.epsilon);
    }
    step.record.step_size = rate;
    return true;
  }

  [[nodiscard]] OptionList option_list() const {
    return {{"rate", options_.rate}, {"epsilon", options_.epsilon}};
  }

  AdagradOptions options_;
  Vector squares_;
};

// w <- w - rate (G(w) - G(snapshot) + full gradient at the snapshot)     (Johnson & Zhang 2013)
class Svrg final : public GradientUpdate {
 public:
  Svrg(const SvrgOptions& options, std::size_t size)
      : options_(options), snapshot_(size), full_(size), at_snapshot_(size) {
    require_positive("svrg.rate", options.rate);
    if (options.snapshot_every == 0) throw InvalidOption("svrg.snapshot_every", "0", "use 1 or more sweeps");
  }

  void begin_sweep(Objective& all_rows, std::size_t sweep) override {
    if (usable_ && sweep % options_.snapshot_every != 0) return;
    const auto weights = all_rows.network().weights();
    std::copy(weights.begin(), weights.end(), snapshot_.begin());
    all_rows.value_and_gradient(full_);
    usable_ = all_finite(full_);
  }

  void save(State& state) const override {
    put_options(state, "svrg", option_list());
    state.put("snapshot", snapshot_);
    state.put("full", full_);
  }
  void restore(const State& state) override {
    require_options(state, "svrg", option_list());
    state.get("snapshot", std::span(snapshot_));
    state.get("full", std::span(full_));
    usable_ = all_finite(full_);
  }

 private:
  bool move(BlockObjective& f, std::span<double> weights, std::span<double> gradient,
            StepContext& step) override {
    const double rate = options_.rate * step.step_cut;
    f.gradient(snapshot_, at_snapshot_);
    if (!usable_ || !all_finite(at_snapshot_)) return false;
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] -= rate * (gradient[i] - at_snapshot_[i] + full_[i]);
    step.record.step_size = rate;
    return true;
  }

  [[nodiscard]] OptionList option_list() const {
    return {{"rate", options_.rate}, {"snapshot_every", static_cast<double>(options_.snapshot_every)}};
  }

  SvrgOptions options_;
  Vector snapshot_, full_, at_snapshot_;
  bool usable_ = true;  // the full gradient is finite
};

// w <- w - rate (G_h - table_h + mean of the table),  table_h <- G_h     (Defazio, Bach & Lacoste-Julien 2014)
// The table holds one gradient per minibatch and starts at zero.
class Saga final : public GradientUpdate {
 public:
  Saga(const SagaOptions& options, std::size_t size, std::size_t batches)
      : options_(options), batches_(batches), mean_(size, 0.0) {
    require_positive("saga.rate", options.rate);
    const std::size_t bytes = size * batches * sizeof(double);
    if (bytes > options.memory_limit)
      throw InvalidOption("saga.memory_limit", std::to_string(options.memory_limit),
                          "the table of " + std::to_string(batches) + " minibatch gradients needs " +
                              std::to_string(bytes) + " bytes; use larger minibatches or raise the limit");
    table_.assign(size * batches, 0.0);
  }

  void save(State& state) const override {
    put_options(state, "saga", option_list());
    state.put("mean", mean_);
    state.put("table", table_);
  }
  void restore(const State& state) override {
    require_options(state, "saga", option_list());
    state.get("mean", std::span(mean_));
    state.get("table", std::span(table_));
  }

 private:
  bool move(BlockObjective& /*f*/, std::span<double> weights, std::span<double> gradient,
            StepContext& step) override {
    const double rate = options_.rate * step.step_cut;
    double* row = table_.data() + step.batch * weights.size();
    const double share = 1 / static_cast<double>(batches_);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double change = gradient[i] - row[i];
      weights[i] -= rate * (change + mean_[i]);
      mean_[i] += share * change;
      row[i] = gradient[i];
    }
    step.record.step_size = rate;
    return true;
  }

  [[nodiscard]] OptionList option_list() const { return {{"rate", options_.rate}}; }

  SagaOptions options_;
  std::size_t batches_;
  Vector mean_, table_;
};

// SVRG's snapshot and SAGA's table belong to the whole network: a block would see gradients of changed neighbours.
void require_whole_network(std::string_view method, const UpdateSetup& setup) {
  if (!(setup.block == setup.network.whole()))
    throw InvalidOption("selection", "layers",
                        std::string(method) + " updates all layers at once; select whole_network");
}

}  // namespace

UpdateRecipe gradient_step(const GradientStepOptions& options) {
  return [options](const UpdateSetup&) { return std::make_unique<GradientStep>(options); };
}
UpdateRecipe adam(const AdamOptions& options) {
  return [options](const UpdateSetup& s) { return std::make_unique<Adam>(options, s.network.size(s.block)); };
}
UpdateRecipe adagrad(const AdagradOptions& options) {
  return
      [options](const UpdateSetup& s) { return std::make_unique<Adagrad>(options, s.network.size(s.block)); };
}
UpdateRecipe svrg(const SvrgOptions& options) {
  return [options](const UpdateSetup& s) {
    require_whole_network("svrg", s);
    return std::make_unique<Svrg>(options, s.network.size());
  };
}
UpdateRecipe saga(const SagaOptions& options) {
  return [options](const UpdateSetup& s) {
    require_whole_network("saga", s);
    if (!s.fixed_partition)
      throw InvalidOption("batches.partition", "every_epoch",
                          "saga keeps one gradient per minibatch: use a fixed partition that does not grow");
    return std::make_unique<Saga>(options, s.network.size(), s.batches);
  };
}

}  // namespace strata
