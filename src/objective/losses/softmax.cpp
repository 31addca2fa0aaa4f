#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "objective/losses/constants.h"
#include "objective/losses/losses.h"
#include "objective/losses/panels.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

// K classes, an output for each; the target is the code of the row's class, 0 to K-1:
//   log(sum exp(out)) - out of that class,   delta = p - 1 of that class,   H = diag(p) - p p'.
class SoftmaxLoss final : public Loss {
 public:
  explicit SoftmaxLoss(std::size_t classes) : classes_(classes) {
    if (classes < 2)
      throw InvalidOption("classes", fmt::format("{}", classes),
                          "the softmax loss needs two classes or more");
  }

  [[nodiscard]] std::string text() const override { return fmt::format("softmax(classes={})", classes_); }

  [[nodiscard]] std::size_t outputs(std::size_t target_columns) const override {
    if (target_columns != 1)
      throw InvalidOption("targets", fmt::format("{}", target_columns),
                          "the softmax loss needs one column of class codes");
    return classes_;
  }

  void check_targets(ConstMatrix targets, std::size_t first_row) const override {
    for (std::size_t row = 0; row < targets.rows(); ++row)
      for (const double y : targets.row(row))
        if (!(y >= 0 && y < static_cast<double>(classes_)) || y != std::floor(y))
          throw InvalidOption(
              "target", fmt::format("{}", y),
              fmt::format("the softmax loss needs class codes from 0 to {}; change or remove row {}",
                          classes_ - 1, first_row + row + 1));
  }

  [[nodiscard]] double value(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                             std::size_t samples) const override {
    SampleSum sum;
    for (std::size_t j = 0; j < samples; ++j) {
      const double top = largest(out, j);
      double total = 0;
      double own = top;
      for (std::size_t k = 0; k < out.rows(); ++k) {
        total += std::exp(out(k, j) - top);
        if (is_class(target, j, k)) own = out(k, j);
      }
      sum.add(j, weight_of(weights, j) * (top - own + std::log(total)));
    }
    return sum.total();
  }

  double value_and_delta(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                         std::size_t samples, double scale, Matrix delta) const override {
    SampleSum sum;
    for (std::size_t j = 0; j < samples; ++j) {
      const Total total = probabilities(out, j, delta);
      double own = total.largest;
      const double weight = weight_of(weights, j);
      for (std::size_t k = 0; k < out.rows(); ++k) {
        const bool right = is_class(target, j, k);
        if (right) own = out(k, j);
        delta(k, j) = scale * weight * (delta(k, j) - (right ? 1 : 0));
      }
      sum.add(j, weight * (total.largest - own + std::log(total.sum)));
    }
    clear_padding(delta, samples);
    return sum.total();
  }

  // The state is p itself.
  void curvature(ConstMatrix out, ConstMatrix /*target*/, std::size_t samples, Matrix state) const override {
    for (std::size_t j = 0; j < samples; ++j) probabilities(out, j, state);
  }

  void curvature_times(ConstMatrix state, std::size_t samples, Matrix u) const override {
    for (std::size_t j = 0; j < samples; ++j) {
      double mean = 0;
      for (std::size_t k = 0; k < u.rows(); ++k) mean += state(k, j) * u(k, j);
      for (std::size_t k = 0; k < u.rows(); ++k) u(k, j) = state(k, j) * (u(k, j) - mean);
    }
  }

  // R = diag(sqrt p) - p sqrt(p)'
  void root_times(ConstMatrix state, std::size_t samples, Matrix u) const override {
    for (std::size_t j = 0; j < samples; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < u.rows(); ++k) {
        u(k, j) *= std::sqrt(state(k, j));
        sum += u(k, j);
      }
      for (std::size_t k = 0; k < u.rows(); ++k) u(k, j) -= state(k, j) * sum;
    }
  }

  void link(std::span<double> outputs) const override {
    const Matrix column(outputs.data(), outputs.size(), 1);
    probabilities(column, 0, column);
  }

  void best_constant(ConstMatrix targets, std::span<const double> weights,
                     std::span<double> outputs) const override {
    std::fill(outputs.begin(), outputs.end(), 0.0);
    double total = 0;
    for (std::size_t row = 0; row < targets.rows(); ++row) {
      outputs[static_cast<std::size_t>(targets(row, 0))] += weight_of(weights, row);
      total += weight_of(weights, row);
    }
    const double prior = 1 / static_cast<double>(classes_);
    for (double& out : outputs) out = std::log(smoothed_share(out / total, targets.rows(), prior));
  }

 private:
  struct Total {
    double largest;  // output
    double sum;      // of exp(out - largest), at least 1
  };

  static bool is_class(ConstMatrix target, std::size_t sample, std::size_t k) {
    return target(0, sample) == static_cast<double>(k);
  }

  static double largest(ConstMatrix out, std::size_t sample) {
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < out.rows(); ++k) top = std::max(top, out(k, sample));
    return top;
  }

  // Into column `sample` of p, which may be `out` itself.
  static Total probabilities(ConstMatrix out, std::size_t sample, Matrix p) {
    Total total{largest(out, sample), 0};
    for (std::size_t k = 0; k < out.rows(); ++k) {
      p(k, sample) = std::exp(out(k, sample) - total.largest);
      total.sum += p(k, sample);
    }
    for (std::size_t k = 0; k < out.rows(); ++k) p(k, sample) /= total.sum;
    return total;
  }

  std::size_t classes_;
};

}  // namespace

std::unique_ptr<const Loss> make_softmax(const LossOptions& options) {
  return std::make_unique<SoftmaxLoss>(options.classes);
}

}  // namespace strata
