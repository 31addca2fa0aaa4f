#include <fmt/format.h>

#include <cmath>

#include "objective/losses/constants.h"
#include "objective/losses/elementwise.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

// e^2 up to |e| = delta, 2 delta |e| - delta^2 beyond.
class HuberLoss final : public ElementwiseLoss<HuberLoss> {
 public:
  explicit HuberLoss(double delta) : delta_(delta) {
    if (!(delta > 0) || std::isinf(delta))
      throw InvalidOption("delta", fmt::format("{}", delta), "use a positive number");
  }

  [[nodiscard]] std::string text() const override { return fmt::format("huber(delta={})", delta_); }

  [[nodiscard]] Point at(double out, double target) const {
    const double e = out - target;
    if (std::abs(e) <= delta_) return {e * e, 2 * e};
    return {delta_ * (2 * std::abs(e) - delta_), std::copysign(2 * delta_, e)};
  }

  // Beyond delta the second derivative is 0. Instead, that of the parabola which touches the loss there and lies above
  // it everywhere: its minimum is always a step down.
  using ElementwiseLoss<HuberLoss>::curvature;
  [[nodiscard]] double curvature(double out, double target) const {
    return 2 * delta_ / std::max(delta_, std::abs(out - target));
  }

  void best_constant(ConstMatrix targets, std::span<const double> weights,
                     std::span<double> outputs) const override {
    for (std::size_t m = 0; m < outputs.size(); ++m) outputs[m] = centre(targets, m, weights);
  }

 private:
  // The slope of the sum rises with the constant: where it crosses zero is found by bisection.
  [[nodiscard]] double centre(ConstMatrix targets, std::size_t column,
                              std::span<const double> weights) const {
    double low = weighted_quantile(targets, column, weights, 0);
    double high = weighted_quantile(targets, column, weights, 1);
    for (int i = 0; i < 60; ++i) {
      const double middle = low + (high - low) / 2;
      double slope = 0;
      for (std::size_t row = 0; row < targets.rows(); ++row)
        slope += weight_of(weights, row) * at(middle, targets(row, column)).slope;
      (slope > 0 ? high : low) = middle;
    }
    return low;
  }

  double delta_;
};

}  // namespace

std::unique_ptr<const Loss> make_huber(const LossOptions& options) {
  return std::make_unique<HuberLoss>(options.delta);
}

}  // namespace strata
