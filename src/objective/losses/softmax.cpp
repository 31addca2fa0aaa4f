#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "objective/losses/averages.h"
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
    in_chunks(samples, [&](std::size_t first, std::size_t count) {
      Row top, own, total{};
      largest(out, first, count, top);
      own = top;
      for (std::size_t k = 0; k < out.rows(); ++k)
        for (std::size_t j = 0; j < count; ++j) {
          const double o = out(k, first + j);
          total[j] += std::exp(o - top[j]);
          if (is_class(target, first + j, k)) own[j] = o;
        }
      for (std::size_t j = 0; j < count; ++j)
        sum.add(first + j, weight_of(weights, first + j) * (top[j] - own[j] + std::log(total[j])));
    });
    return sum.total();
  }

  double value_and_delta(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                         std::size_t samples, double scale, Matrix delta) const override {
    SampleSum sum;
    in_chunks(samples, [&](std::size_t first, std::size_t count) {
      Row top, total, own, factor;
      probabilities(out, first, count, top, total, delta);
      own = top;
      for (std::size_t j = 0; j < count; ++j) factor[j] = scale * weight_of(weights, first + j);
      for (std::size_t k = 0; k < out.rows(); ++k)
        for (std::size_t j = 0; j < count; ++j) {
          const bool right = is_class(target, first + j, k);
          if (right) own[j] = out(k, first + j);
          delta(k, first + j) = factor[j] * (delta(k, first + j) - (right ? 1 : 0));
        }
      for (std::size_t j = 0; j < count; ++j)
        sum.add(first + j, weight_of(weights, first + j) * (top[j] - own[j] + std::log(total[j])));
    });
    clear_padding(delta, samples);
    return sum.total();
  }

  // The state is p itself.
  void curvature(ConstMatrix out, ConstMatrix /*target*/, std::size_t samples, Matrix state) const override {
    in_chunks(samples, [&](std::size_t first, std::size_t count) {
      Row top, total;
      probabilities(out, first, count, top, total, state);
    });
  }

  void curvature_times(ConstMatrix state, std::size_t samples, Matrix u) const override {
    in_chunks(samples, [&](std::size_t first, std::size_t count) {
      Row mean{};
      for (std::size_t k = 0; k < u.rows(); ++k)
        for (std::size_t j = 0; j < count; ++j) mean[j] += state(k, first + j) * u(k, first + j);
      for (std::size_t k = 0; k < u.rows(); ++k)
        for (std::size_t j = 0; j < count; ++j)
          u(k, first + j) = state(k, first + j) * (u(k, first + j) - mean[j]);
    });
  }

  // R = diag(sqrt p) - p sqrt(p)'
  void root_times(ConstMatrix state, std::size_t samples, Matrix u) const override {
    in_chunks(samples, [&](std::size_t first, std::size_t count) {
      Row sum{};
      for (std::size_t k = 0; k < u.rows(); ++k)
        for (std::size_t j = 0; j < count; ++j) {
          u(k, first + j) *= std::sqrt(state(k, first + j));
          sum[j] += u(k, first + j);
        }
      for (std::size_t k = 0; k < u.rows(); ++k)
        for (std::size_t j = 0; j < count; ++j) u(k, first + j) -= state(k, first + j) * sum[j];
    });
  }

  void link(std::span<double> outputs) const override {
    const Matrix column(outputs.data(), outputs.size(), 1);
    Row top, total;
    probabilities(column, 0, 1, top, total, column);
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
  // Samples are contiguous: loops over them inside those over classes run in vector registers.
  using Row = std::array<double, 128>;
  template <class Body>
  static void in_chunks(std::size_t samples, const Body& body) {
    for (std::size_t first = 0; first < samples; first += std::tuple_size_v<Row>)
      body(first, std::min(std::tuple_size_v<Row>, samples - first));
  }

  static bool is_class(ConstMatrix target, std::size_t sample, std::size_t k) {
    return target(0, sample) == static_cast<double>(k);
  }

  static void largest(ConstMatrix out, std::size_t first, std::size_t count, Row& top) {
    std::fill_n(top.begin(), count, -std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < out.rows(); ++k)
      for (std::size_t j = 0; j < count; ++j) top[j] = std::max(top[j], out(k, first + j));
  }

  // Into p, which may be `out` itself; `total` is the sum of exp(out - top), at least 1.
  static void probabilities(ConstMatrix out, std::size_t first, std::size_t count, Row& top, Row& total,
                            Matrix p) {
    largest(out, first, count, top);
    std::fill_n(total.begin(), count, 0.0);
    for (std::size_t k = 0; k < out.rows(); ++k)
      for (std::size_t j = 0; j < count; ++j) {
        p(k, first + j) = std::exp(out(k, first + j) - top[j]);
        total[j] += p(k, first + j);
      }
    for (std::size_t k = 0; k < out.rows(); ++k)
      for (std::size_t j = 0; j < count; ++j) p(k, first + j) /= total[j];
  }

  std::size_t classes_;
};

}  // namespace

std::unique_ptr<const Loss> make_softmax(const LossOptions& options) {
  return std::make_unique<SoftmaxLoss>(options.classes);
}

}  // namespace strata
