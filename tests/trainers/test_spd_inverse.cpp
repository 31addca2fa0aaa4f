#include "trainers/spd_inverse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "strata/core/random.h"

namespace strata {
namespace {

// X'X / rows of random numbers: positive definite, and not diagonal.
Vector random_moments(std::size_t n) {
  const std::size_t rows = 2 * n;
  RandomStream random(n);
  Vector x(rows * n);
  for (double& number : x) number = random.uniform(-1, 1);
  Vector moments(n * n, 0.0);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        moments[i * n + j] += x[r * n + i] * x[r * n + j] / static_cast<double>(rows);
  return moments;
}

// The largest entry of (m + ridge I) times its inverse, less I.
double residual(ConstMatrix m, double ridge, ConstMatrix inverse) {
  double largest = 0;
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t j = 0; j < m.rows(); ++j) {
      double sum = i == j ? -1 : 0;
      for (std::size_t k = 0; k < m.rows(); ++k) sum += (m(i, k) + (i == k ? ridge : 0)) * inverse(k, j);
      largest = std::max(largest, std::abs(sum));
    }
  return largest;
}

TEST(SpdInverse, TimesTheMatrixIsOneAtOnceAndBlockByBlock) {
  SpdInverse invert;
  for (const std::size_t n : {1, 5, 64, 128, 129, 192, 201, 384})
    for (const double ridge : {1e-3, 1.0}) {
      const Vector moments = random_moments(n);
      const ConstMatrix m(moments.data(), n, n);
      const std::size_t stride = n + 3;
      Vector found(n * stride, 7.0);
      invert(m, ridge, {found.data(), n, n, stride});
      EXPECT_LT(residual(m, ridge, {found.data(), n, n, stride}), 1e-10) << n << ", ridge " << ridge;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = n; c < stride; ++c) ASSERT_EQ(found[r * stride + c], 7.0);
    }
}

TEST(SpdInverse, IsSymmetric) {
  constexpr std::size_t n = 200;
  const Vector moments = random_moments(n);
  Vector found(n * n);
  SpdInverse()({moments.data(), n, n}, 1e-6, {found.data(), n, n});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      ASSERT_NEAR(found[i * n + j], found[j * n + i], 1e-12 * std::abs(found[i * n + i]));
}

}  // namespace
}  // namespace strata
