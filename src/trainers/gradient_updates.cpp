// Minibatch updates: one gradient, one step in place. Each follows its own paper; the formula stands above it.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "kernels/steps.h"
#include "strata/core/errors.h"
#include "trainers/gradient_update.h"
#include "trainers/saved_parts.h"

namespace strata {

namespace {

void require_fraction(std::string_view field, double value) {
  if (!(value >= 0 && value < 1)) throw InvalidOption(field, std::to_string(value), "use a number in [0, 1)");
}

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
    simd_steps().adam({.beta1 = options_.beta1,
                       .beta2 = options_.beta2,
                       .rate = rate / correct1,
                       .root_scale = 1 / std::sqrt(correct2),
                       .epsilon = options_.epsilon},
                      gradient, m_, v_, weights);
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
    simd_steps().adagrad({.rate = rate, .epsilon = options_.epsilon}, gradient, squares_, weights);
    step.record.step_size = rate;
    return true;
  }

  [[nodiscard]] OptionList option_list() const {
    return {{"rate", options_.rate}, {"epsilon", options_.epsilon}};
  }

  AdagradOptions options_;
  Vector squares_;
};

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
}  // namespace strata
