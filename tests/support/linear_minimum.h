#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "strata/core/matrix.h"

namespace strata::testing_support {

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

}  // namespace strata::testing_support
