#include "strata/objective/loss.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

class SquaredLoss final : public Loss {
 public:
  [[nodiscard]] double value(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                             std::size_t samples) const override {
    return sum(out, target, weights, samples, [](std::size_t, std::size_t, double) {});
  }

  double value_and_delta(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                         std::size_t samples, double scale, Matrix delta) const override {
    for (std::size_t o = 0; o < delta.rows(); ++o) {
      const auto row = delta.row(o);
      std::fill(row.begin() + static_cast<std::ptrdiff_t>(samples), row.end(), 0.0);
    }
    const double twice = 2 * scale;
    return sum(out, target, weights, samples,
               [&](std::size_t o, std::size_t j, double e) { delta(o, j) = twice * e; });
  }

  [[nodiscard]] bool is_squared() const override { return true; }

 private:
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
    constexpr std::size_t lanes = 4;  // independent additions in one fixed order
    std::array<double, lanes> total{};
    for (std::size_t o = 0; o < out.rows(); ++o)
      for (std::size_t j = 0; j < samples; ++j) {
        const double e = out(o, j) - target(o, j);
        const double weighted = weight(j) * e;  // multiplication by the constant 1 is no operation
        total[j % lanes] += weighted * e;
        visit(o, j, weighted);
      }
    return (total[0] + total[1]) + (total[2] + total[3]);
  }
};

}  // namespace

const Loss& squared_loss() {
  static const SquaredLoss loss;
  return loss;
}

}  // namespace strata
