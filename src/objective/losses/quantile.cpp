#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "objective/losses/constants.h"
#include "objective/losses/panels.h"
#include "strata/core/errors.h"
#include "strata/objective/loss.h"

namespace strata {

namespace {

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double softplus_slope(double x) {
  const double small = std::exp(-std::abs(x));
  return (x >= 0 ? 1 : small) / (1 + small);
}
double softplus_inverse(double y) { return y > 30 ? y : std::log(std::expm1(y)); }

// The pinball loss of residual e = target - q at level t, (t - 1/2) e + |e|/2, with |e| replaced by e^2/(2 width) + width/2
// up to |e| = width, and shifted so that its least value is 0. Several levels of a target are the sum of their losses;
//   q_0 = out_0,   q_k = q_{k-1} + softplus(out_k),
// so that they cannot cross. With K levels, target m has the outputs m K to m K + K - 1.
class QuantileLoss final : public Loss {
 public:
  QuantileLoss(const std::vector<double>& levels, double width) : levels_(levels), width_(width) {
    if (levels.empty()) throw InvalidOption("levels", "none", "give at least one level between 0 and 1");
    for (std::size_t k = 0; k < levels.size(); ++k)
      if (!(levels[k] > 0 && levels[k] < 1) || (k > 0 && !(levels[k] > levels[k - 1])))
        throw InvalidOption("levels", fmt::format("{}", fmt::join(levels, ", ")),
                            "use increasing numbers between 0 and 1");
    if (!(width > 0) || std::isinf(width))
      throw InvalidOption("width", fmt::format("{}", width), "use a positive number");
  }

  [[nodiscard]] std::string text() const override {
    return fmt::format("quantile(levels={}, width={})", fmt::join(levels_, ","), width_);
  }

  [[nodiscard]] std::size_t outputs(std::size_t target_columns) const override {
    return target_columns * levels_.size();
  }

  [[nodiscard]] double value(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                             std::size_t samples) const override {
    SampleSum sum;
    for (std::size_t m = 0; m < target.rows(); ++m)
      for (std::size_t j = 0; j < samples; ++j) {
        double q = 0;
        double loss = 0;
        for (std::size_t k = 0; k < levels_.size(); ++k) {
          q = k == 0 ? out(first(m), j) : q + softplus(out(first(m) + k, j));
          loss += pinball(k, target(m, j) - q);
        }
        sum.add(j, weight_of(weights, j) * loss);
      }
    return sum.total();
  }

  // Every quantile from the k-th on moves with output k.
  double value_and_delta(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                         std::size_t samples, double scale, Matrix delta) const override {
    SampleSum sum;
    for (std::size_t m = 0; m < target.rows(); ++m)
      for (std::size_t j = 0; j < samples; ++j) {
        const double weight = weight_of(weights, j);
        double q = 0;
        double loss = 0;
        for (std::size_t k = 0; k < levels_.size(); ++k) {
          q = k == 0 ? out(first(m), j) : q + softplus(out(first(m) + k, j));
          loss += pinball(k, target(m, j) - q);
          delta(first(m) + k, j) = scale * weight * pinball_slope(k, target(m, j) - q);
        }
        double moved = 0;
        for (std::size_t k = levels_.size(); k-- > 0;) {
          moved += delta(first(m) + k, j);
          delta(first(m) + k, j) = moved * increment_slope(k, out(first(m) + k, j));
        }
        sum.add(j, weight * loss);
      }
    clear_padding(delta, samples);
    return sum.total();
  }

  // For each output the curvature of its quantile's loss, then, behind all of these, the slope of its increment.
  [[nodiscard]] std::size_t curvature_rows(std::size_t outputs) const override { return 2 * outputs; }
  void curvature(ConstMatrix out, ConstMatrix target, std::size_t samples, Matrix state) const override {
    for (std::size_t m = 0; m < target.rows(); ++m)
      for (std::size_t j = 0; j < samples; ++j) {
        double q = 0;
        for (std::size_t k = 0; k < levels_.size(); ++k) {
          const double o = out(first(m) + k, j);
          q = k == 0 ? o : q + softplus(o);
          // Beyond the width the second derivative is 0. Instead, that of the parabola which touches there and lies
          // above everywhere, as for the Huber loss.
          state(first(m) + k, j) = 0.5 / std::max(width_, std::abs(target(m, j) - q));
          state(out.rows() + first(m) + k, j) = increment_slope(k, o);
        }
      }
  }

  // With Q = d q / d out: H = Q' C Q, R = Q' sqrt(C). The second derivative of softplus is left out, which may be
  // negative here.
  void curvature_times(ConstMatrix state, std::size_t samples, Matrix u) const override {
    for (std::size_t start = 0; start < u.rows(); start += levels_.size())
      for (std::size_t j = 0; j < samples; ++j) {
        double moved = 0;
        for (std::size_t k = start; k < start + levels_.size(); ++k) {
          moved += state(u.rows() + k, j) * u(k, j);
          u(k, j) = state(k, j) * moved;
        }
        back_through_increments(state, start, j, u);
      }
  }
  void root_times(ConstMatrix state, std::size_t samples, Matrix u) const override {
    for (std::size_t start = 0; start < u.rows(); start += levels_.size())
      for (std::size_t j = 0; j < samples; ++j) {
        for (std::size_t k = start; k < start + levels_.size(); ++k) u(k, j) *= std::sqrt(state(k, j));
        back_through_increments(state, start, j, u);
      }
  }

  void link(std::span<double> outputs) const override {
    for (std::size_t k = 0; k < outputs.size(); ++k)
      if (k % levels_.size() > 0) outputs[k] = outputs[k - 1] + softplus(outputs[k]);
  }

  // Quantiles are averaged, each with those of its level; increments of 0 become minus infinity, which is 0 again.
  void average(ConstMatrix members, std::span<double> outputs) const override {
    const auto count = static_cast<double>(members.rows());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      double sum = 0;
      for (std::size_t m = 0; m < members.rows(); ++m)
        sum += k % levels_.size() > 0 ? softplus(members(m, k)) : members(m, k);
      outputs[k] = k % levels_.size() > 0 ? softplus_inverse(sum / count) : sum / count;
    }
  }

  void best_constant(ConstMatrix targets, std::span<const double> weights,
                     std::span<double> outputs) const override {
    constexpr double least = 1e-6;  // equal quantiles would need an increment of minus infinity
    for (std::size_t m = 0; m < targets.columns(); ++m) {
      double previous = 0;
      for (std::size_t k = 0; k < levels_.size(); ++k) {
        const double q = weighted_quantile(targets, m, weights, levels_[k]);
        outputs[first(m) + k] = k == 0 ? q : softplus_inverse(std::max(q - previous, least));
        previous = q;
      }
    }
  }

 private:
  [[nodiscard]] std::size_t first(std::size_t target) const { return target * levels_.size(); }

  [[nodiscard]] double pinball(std::size_t k, double e) const {
    const double size = std::abs(e) <= width_ ? e * e / (2 * width_) : std::abs(e) - width_ / 2;
    const double tilt = 1 - 2 * levels_[k];
    return std::max(size / 2 - tilt * e / 2 + width_ * tilt * tilt / 4, 0.0);
  }
  // With respect to the quantile.
  [[nodiscard]] double pinball_slope(std::size_t k, double e) const {
    return 0.5 - levels_[k] - std::clamp(e / width_, -1.0, 1.0) / 2;
  }
  static double increment_slope(std::size_t k, double out) { return k == 0 ? 1 : softplus_slope(out); }

  void back_through_increments(ConstMatrix state, std::size_t start, std::size_t sample, Matrix u) const {
    double moved = 0;
    for (std::size_t k = start + levels_.size(); k-- > start;) {
      moved += u(k, sample);
      u(k, sample) = moved * state(u.rows() + k, sample);
    }
  }

  std::vector<double> levels_;
  double width_;
};

}  // namespace

std::unique_ptr<const Loss> make_quantile(const LossOptions& options) {
  return std::make_unique<QuantileLoss>(options.levels, options.width);
}

}  // namespace strata
