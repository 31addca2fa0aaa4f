#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "kernels/softmax.h"
#include "objective/losses/averages.h"
#include "objective/losses/constants.h"
#include "objective/losses/panels.h"
#include "strata/core/errors.h"
#include "strata/objective/loss.h"

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
    in_chunks(samples, [&](std::size_t first, std::size_t count) {
      Row top, total;
      kernels_.totals(part(out, first, count), top, total);
      for (std::size_t j = 0; j < count; ++j)
        sum.add(first + j, weight_of(weights, first + j) *
                               (top[j] - out(class_of(target, first + j), first + j) + std::log(total[j])));
    });
    return sum.total();
  }

  double value_and_delta(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                         std::size_t samples, double scale, Matrix delta) const override {
    SampleSum sum;
    in_chunks(samples, [&](std::size_t first, std::size_t count) {
      Row top, total, factor, of_own;
      kernels_.probabilities(part(out, first, count), top, total, part(delta, first, count));
      for (std::size_t j = 0; j < count; ++j) {
        const std::size_t own = class_of(target, first + j);
        const double weight = weight_of(weights, first + j);
        sum.add(first + j, weight * (top[j] - out(own, first + j) + std::log(total[j])));
        factor[j] = scale * weight;
        of_own[j] = factor[j] * (delta(own, first + j) - 1);
      }
      for (std::size_t k = 0; k < out.rows(); ++k)
        for (std::size_t j = 0; j < count; ++j) delta(k, first + j) *= factor[j];
      for (std::size_t j = 0; j < count; ++j) delta(class_of(target, first + j), first + j) = of_own[j];
    });
    clear_padding(delta, samples);
    return sum.total();
  }

  // The state is p itself.
  void curvature(ConstMatrix out, ConstMatrix /*target*/, std::size_t samples, Matrix state) const override {
    in_chunks(samples, [&](std::size_t first, std::size_t count) {
      Row top, total;
      kernels_.probabilities(part(out, first, count), top, total, part(state, first, count));
    });
  }

  void curvature_times(ConstMatrix state, std::size_t samples, Matrix u) const override {
    kernels_.curvature_times(part(state, 0, samples), part(u, 0, samples));
  }

  void root_times(ConstMatrix state, std::size_t samples, Matrix u) const override {
    kernels_.root_times(part(state, 0, samples), part(u, 0, samples));
  }

  void link(std::span<double> outputs) const override {
    const Matrix column(outputs.data(), outputs.size(), 1);
    double top = 0, total = 0;
    // The same bits on every CPU.
    reference_softmax().probabilities(column, {&top, 1}, {&total, 1}, column);
  }

  // Logarithms of the mean probabilities.
  void average(ConstMatrix members, std::span<double> outputs) const override {
    std::fill(outputs.begin(), outputs.end(), -std::numeric_limits<double>::infinity());
    for (std::size_t m = 0; m < members.rows(); ++m) {
      const double norm = log_mean_exp(classes_, [&](std::size_t k) { return members(m, k); }) +
                          std::log(static_cast<double>(classes_));
      for (std::size_t k = 0; k < classes_; ++k) outputs[k] = log_add_exp(outputs[k], members(m, k) - norm);
    }
    for (double& out : outputs) out -= std::log(static_cast<double>(members.rows()));
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
  using Row = std::array<double, 128>;
  template <class Body>
  static void in_chunks(std::size_t samples, const Body& body) {
    for (std::size_t first = 0; first < samples; first += std::tuple_size_v<Row>)
      body(first, std::min(std::tuple_size_v<Row>, samples - first));
  }

  template <class T>
  static MatrixView<T> part(MatrixView<T> panel, std::size_t first, std::size_t count) {
    return {panel.data() + first, panel.rows(), count, panel.stride()};
  }

  static std::size_t class_of(ConstMatrix target, std::size_t sample) {
    return static_cast<std::size_t>(target(0, sample));
  }

  const SoftmaxKernels& kernels_ = simd_softmax();
  std::size_t classes_;
};

}  // namespace

std::unique_ptr<const Loss> make_softmax(const LossOptions& options) {
  return std::make_unique<SoftmaxLoss>(options.classes);
}

}  // namespace strata
