// Minibatch updates: one gradient, one step in place. Each follows its own paper; the formula stands above it.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/steps.h"
#include "trainers/gradient_update.h"

namespace strata {

namespace {

// w <- w - alpha / max(beta, min(gamma, ||G||)) G     (Palagi & Seccia, Algorithm 5), or w <- w - alpha G
class GradientStep final : public GradientUpdate {
 public:
  explicit GradientStep(const GradientStepOptions& options) : options_(options) {}

 private:
  bool move(BlockObjective& /*f*/, std::span<double> weights, std::span<double> gradient,
            StepContext& step) override {
    const double scale = options_.sum ? static_cast<double>(step.objective.selected_rows()) : 1;
    double alpha = step.step_size * step.step_cut;
    if (options_.normalise)
      alpha /= std::max(options_.least, std::min(options_.most, scale * step.record.gradient_norm));
    simd_steps().gradient(-alpha * scale, gradient, weights);
    step.record.step_size = alpha;
    return true;
  }

  GradientStepOptions options_;
};

// m <- b1 m + (1-b1) G,  v <- b2 v + (1-b2) G^2,  w <- w - rate m^ / (sqrt(v^) + eps), hats: bias-corrected
// (Kingma & Ba 2015).
class Adam final : public GradientUpdate {
 public:
  Adam(const AdamOptions& options, std::size_t size) : options_(options), m_(size, 0.0), v_(size, 0.0) {}

  void save(State& state) const override {
    state.put("m", m_);
    state.put("v", v_);
    state.put("steps", steps_);
  }
  void restore(const State& state) override {
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

  AdamOptions options_;
  Vector m_, v_;
  double steps_ = 0;
};

// s <- s + G^2,  w <- w - rate G / (sqrt(s) + eps)     (Duchi, Hazan & Singer 2011)
class Adagrad final : public GradientUpdate {
 public:
  Adagrad(const AdagradOptions& options, std::size_t size) : options_(options), squares_(size, 0.0) {}

  void save(State& state) const override { state.put("squares", squares_); }
  void restore(const State& state) override { state.get("squares", std::span(squares_)); }

 private:
  bool move(BlockObjective& /*f*/, std::span<double> weights, std::span<double> gradient,
            StepContext& step) override {
    const double rate = options_.rate * step.step_cut;
    simd_steps().adagrad({.rate = rate, .epsilon = options_.epsilon}, gradient, squares_, weights);
    step.record.step_size = rate;
    return true;
  }

  AdagradOptions options_;
  Vector squares_;
};

}  // namespace

std::unique_ptr<Update> GradientStepOptions::make(const UpdateSetup& /*setup*/) const {
  return std::make_unique<GradientStep>(*this);
}
std::unique_ptr<Update> AdamOptions::make(const UpdateSetup& setup) const {
  return std::make_unique<Adam>(*this, setup.network.size(setup.block));
}
std::unique_ptr<Update> AdagradOptions::make(const UpdateSetup& setup) const {
  return std::make_unique<Adagrad>(*this, setup.network.size(setup.block));
}

}  // namespace strata
