#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "objective/losses/averages.h"
#include "objective/losses/constants.h"
#include "objective/losses/elementwise.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

// Counts y with mean exp(out): minus their log-likelihood, less that of a perfect prediction (half the deviance),
//   exp(out) - y out - (y - y log y).
// Beyond `largest` exp goes on as its own parabola: an output of 1e4 has a finite loss and slope.
class PoissonLoss final : public ElementwiseLoss<PoissonLoss> {
 public:
  [[nodiscard]] std::string text() const override { return "poisson"; }

  void check_targets(ConstMatrix targets, std::size_t first_row) const override {
    for (std::size_t row = 0; row < targets.rows(); ++row)
      for (const double y : targets.row(row))
        if (!(y >= 0))
          throw InvalidOption(
              "target", fmt::format("{}", y),
              fmt::format("the poisson loss needs targets of 0 or more; change or remove row {}",
                          first_row + row + 1));
  }

  [[nodiscard]] Point at(double out, double target) const {
    const double beyond = std::max(out - largest, 0.0);
    const double mean = std::exp(std::min(out, largest));
    const double perfect = target > 0 ? target - target * std::log(target) : 0.0;
    const double value = mean * (1 + beyond + beyond * beyond / 2) - target * out - perfect;
    return {std::max(value, 0.0), mean * (1 + beyond) - target};
  }

  // Far below, where exp is 0 to rounding, a little is kept: a product with 0 has no inverse.
  using ElementwiseLoss<PoissonLoss>::curvature;
  [[nodiscard]] double curvature(double out, double /*target*/) const {
    return std::exp(std::clamp(out, -largest, largest));
  }

  void link(std::span<double> outputs) const override {
    for (double& out : outputs) out = std::exp(std::min(out, largest));
  }

  void average(ConstMatrix members, std::span<double> outputs) const override {
    for (std::size_t o = 0; o < outputs.size(); ++o)
      outputs[o] =
          log_mean_exp(members.rows(), [&](std::size_t m) { return std::min(members(m, o), largest); });
  }

  void best_constant(ConstMatrix targets, std::span<const double> weights,
                     std::span<double> outputs) const override {
    const double least = 0.5 / static_cast<double>(targets.rows() + 1);  // all targets may be 0
    for (std::size_t m = 0; m < outputs.size(); ++m)
      outputs[m] = std::log(std::max(weighted_mean(targets, m, weights), least));
  }

 private:
  static constexpr double largest = 30;  // means of 1e13
};

}  // namespace

std::unique_ptr<const Loss> make_poisson(const LossOptions& /*options*/) {
  return std::make_unique<PoissonLoss>();
}

}  // namespace strata
