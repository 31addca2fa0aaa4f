#include <numbers>

#include "objective/losses/constants.h"
#include "objective/losses/panels.h"
#include "strata/objective/loss.h"

namespace strata {

namespace {

class SquaredLoss final : public Loss {
 public:
  [[nodiscard]] std::string text() const override { return "squared"; }

  [[nodiscard]] double value(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                             std::size_t samples) const override {
    return sum(out, target, weights, samples, [](std::size_t, std::size_t, double) {});
  }

  double value_and_delta(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                         std::size_t samples, double scale, Matrix delta) const override {
    clear_padding(delta, samples);
    const double twice = 2 * scale;
    return sum(out, target, weights, samples,
               [&](std::size_t o, std::size_t j, double e) { delta(o, j) = twice * e; });
  }

  // H = 2 I: nothing depends on the row, and nothing is kept for it.
  [[nodiscard]] double constant_curvature() const override { return 2; }
  [[nodiscard]] std::size_t curvature_rows(std::size_t /*outputs*/) const override { return 0; }
  void curvature(ConstMatrix /*out*/, ConstMatrix /*target*/, std::size_t /*samples*/,
                 Matrix /*state*/) const override {}
  void curvature_times(ConstMatrix /*state*/, std::size_t samples, Matrix u) const override {
    scale(2, samples, u);
  }
  void root_times(ConstMatrix /*state*/, std::size_t samples, Matrix u) const override {
    scale(std::numbers::sqrt2, samples, u);
  }

  void best_constant(ConstMatrix targets, std::span<const double> weights,
                     std::span<double> outputs) const override {
    for (std::size_t m = 0; m < outputs.size(); ++m) outputs[m] = weighted_mean(targets, m, weights);
  }

 private:
  static void scale(double factor, std::size_t samples, Matrix u) {
    for (std::size_t o = 0; o < u.rows(); ++o)
      for (std::size_t j = 0; j < samples; ++j) u(o, j) *= factor;
  }

  // visit(output, sample, weight * residual)
  template <class Visit>
  static double sum(ConstMatrix out, ConstMatrix target, std::span<const double> weights, std::size_t samples,
                    const Visit& visit) {
    const auto one = [](std::size_t) { return 1.0; };
    const auto own = [weights](std::size_t j) { return weights[j]; };
    return weights.empty() ? weighted_sum(out, target, one, samples, visit)
                           : weighted_sum(out, target, own, samples, visit);
  }

  template <class Weight, class Visit>
  static double weighted_sum(ConstMatrix out, ConstMatrix target, const Weight& weight, std::size_t samples,
                             const Visit& visit) {
    SampleSum total;
    for (std::size_t o = 0; o < out.rows(); ++o)
      for (std::size_t j = 0; j < samples; ++j) {
        const double e = out(o, j) - target(o, j);
        const double weighted = weight(j) * e;  // multiplication by the constant 1 is no operation
        total.add(j, weighted * e);
        visit(o, j, weighted);
      }
    return total.total();
  }
};

}  // namespace

std::unique_ptr<const Loss> make_squared(const LossOptions& /*options*/) {
  return std::make_unique<SquaredLoss>();
}

}  // namespace strata
