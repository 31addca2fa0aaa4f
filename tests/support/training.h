#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "strata/trainers/presets.h"
#include "support/networks.h"

namespace strata::testing_support {

// Data and a starting network that a batch method solves in milliseconds.
struct SmallProblem {
  Dataset data = smooth_data(60, 3);
  Network start = random_network({.inputs = 3, .hidden = {5, 4}}, 2, 1.0);
  ObjectiveOptions objective = {.l2 = 1e-3};

  [[nodiscard]] double value_at(const Network& network) const {
    Network copy(network);
    const PackedRows rows(data);
    return Objective(copy, rows, objective).value();
  }
};

// A trained copy of the starting network, and what the run said.
struct Trained {
  Network network;
  TrainingResult result;
};

inline Trained trained(const Network& start, const Dataset& data, const Scheme& scheme,
                       const TrainOptions& options) {
  Network network(start);
  TrainingResult result = train(network, data, scheme, options);
  return {std::move(network), std::move(result)};
}

inline std::vector<double> weights_of(const Network& network) {
  return {network.weights().begin(), network.weights().end()};
}

// The linear model that minimises (1/P) ||Z W - Y||^2 + r ||W||^2, Z with a column of ones.
struct LinearMinimum {
  Eigen::MatrixXd weights;  // (features + 1) x outputs
  double value;
};

inline LinearMinimum linear_minimum(ConstMatrix z, ConstMatrix y, double r) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto index = [](std::size_t n) { return static_cast<Eigen::Index>(n); };
  Eigen::MatrixXd x(index(z.rows()), index(z.columns()) + 1);
  x << Eigen::Map<const RowMajor>(z.data(), index(z.rows()), index(z.columns())),
      Eigen::VectorXd::Ones(index(z.rows()));
  const Eigen::MatrixXd t = Eigen::Map<const RowMajor>(y.data(), index(y.rows()), index(y.columns()));
  const auto rows = static_cast<double>(z.rows());
  const Eigen::MatrixXd normal = x.transpose() * x / rows + r * Eigen::MatrixXd::Identity(x.cols(), x.cols());
  const Eigen::MatrixXd w = normal.ldlt().solve(x.transpose() * t / rows);
  return {w, (x * w - t).squaredNorm() / rows + r * w.squaredNorm()};
}

// Largest difference between the weights of a layer and a matrix.
inline double distance(ConstMatrix layer, const Eigen::MatrixXd& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < layer.rows(); ++i)
    for (std::size_t o = 0; o < layer.columns(); ++o)
      worst = std::max(worst, std::abs(layer(i, o) -
                                       expected(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(o))));
  return worst;
}

// A clock that stands still unless it is told to move, or moves a little whenever it is read.
class FakeClock {
 public:
  explicit FakeClock(double per_reading = 0) : per_reading_(per_reading) {}
  [[nodiscard]] Clock clock() {
    return [this] {
      ++readings_;
      return now_ += per_reading_;
    };
  }
  void advance(double seconds) { now_ += seconds; }
  [[nodiscard]] double now() const { return now_; }
  [[nodiscard]] int readings() const { return readings_; }

 private:
  double now_ = 1000;
  double per_reading_;
  int readings_ = 0;
};

}  // namespace strata::testing_support
