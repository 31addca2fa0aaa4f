#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "objective/losses/averages.h"
#include "objective/losses/constants.h"
#include "objective/losses/elementwise.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

// Classes 0 and 1, the output being the logit of class 1: log(1 + exp(out)) - target out.
class LogisticLoss final : public ElementwiseLoss<LogisticLoss> {
 public:
  [[nodiscard]] std::string text() const override { return "logistic"; }

  [[nodiscard]] std::size_t outputs(std::size_t target_columns) const override {
    if (target_columns != 1)
      throw InvalidOption("targets", fmt::format("{}", target_columns),
                          "the logistic loss needs one column of classes 0 and 1");
    return 1;
  }

  void check_targets(ConstMatrix targets, std::size_t first_row) const override {
    for (std::size_t row = 0; row < targets.rows(); ++row)
      for (const double y : targets.row(row))
        if (y != 0 && y != 1)
          throw InvalidOption("target", fmt::format("{}", y),
                              fmt::format("the logistic loss needs targets 0 and 1; change or remove row {}",
                                          first_row + row + 1));
  }

  [[nodiscard]] Point at(double out, double target) const {
    const double small = std::exp(-std::abs(out));  // never overflows
    const double probability = (out >= 0 ? 1 : small) / (1 + small);
    const double wrong_side = target > 0.5 ? std::max(-out, 0.0) : std::max(out, 0.0);
    return {wrong_side + std::log1p(small), probability - target};
  }

  using ElementwiseLoss<LogisticLoss>::curvature;
  [[nodiscard]] double curvature(double out, double /*target*/) const {
    const double small = std::exp(-std::abs(out));
    return std::max(small / ((1 + small) * (1 + small)), least_curvature);
  }

  void link(std::span<double> outputs) const override {
    for (double& out : outputs) out = at(out, 0).slope;
  }

  // The log-odds of the mean probability.
  void average(ConstMatrix members, std::span<double> outputs) const override {
    const auto log_probability = [&](std::size_t m, double target) {
      return -at(members(m, 0), target).value;
    };
    const std::size_t count = members.rows();
    outputs[0] = log_mean_exp(count, [&](std::size_t m) { return log_probability(m, 1); }) -
                 log_mean_exp(count, [&](std::size_t m) { return log_probability(m, 0); });
  }

  void best_constant(ConstMatrix targets, std::span<const double> weights,
                     std::span<double> outputs) const override {
    const double p = smoothed_share(weighted_mean(targets, 0, weights), targets.rows(), 0.5);
    outputs[0] = std::log(p / (1 - p));
  }

 private:
  // Rows that are surely right would otherwise leave a curvature of zero.
  static constexpr double least_curvature = 1e-12;
};

}  // namespace

std::unique_ptr<const Loss> make_logistic(const LossOptions& /*options*/) {
  return std::make_unique<LogisticLoss>();
}

}  // namespace strata
