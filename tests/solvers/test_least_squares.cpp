#include "strata/solvers/least_squares.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>

#include "strata/core/errors.h"
#include "strata/core/random.h"

namespace strata {
namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Dense random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  RandomStream random(seed);
  return Dense::NullaryExpr(rows, columns, [&random] { return random.normal(); });
}

Matrix view(Dense& m) {
  return {m.data(), static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols())};
}

// min ||Z X - Y||^2 + ridge ||X||^2 through the normal equations, by the library.
struct Solved {
  LeastSquaresResult result;
  Dense x;
};
Solved solve(const Dense& z, const Dense& y, double ridge, LeastSquaresSpace& space) {
  Dense a = z.transpose() * z;
  Dense b = z.transpose() * y;
  Solved out{{}, Dense(b.rows(), b.cols())};
  out.result = solve_regularised(view(a), ridge, view(b), space, view(out.x));
  return out;
}

TEST(LeastSquares, AgreesWithQrOnRandomProblems) {
  LeastSquaresSpace space;
  for (const Eigen::Index n : {1, 2, 5, 33, 100})
    for (const Eigen::Index outputs : {1, 3})
      for (const double ridge : {0.0, 1e-6, 0.5}) {
        const Dense z = random_matrix(3 * n + 5, n, 1);
        const Dense y = random_matrix(3 * n + 5, outputs, 2);
        const Solved ours = solve(z, y, ridge, space);
        ASSERT_EQ(ours.result.reason, StopReason::solved);
        EXPECT_EQ(ours.result.rank, static_cast<std::size_t>(n));
        // QR of [Z; sqrt(ridge) I]: never forms Z'Z.
        Dense stacked(z.rows() + n, n);
        stacked << z, std::sqrt(ridge) * Dense::Identity(n, n);
        Dense target(z.rows() + n, outputs);
        target << y, Dense::Zero(n, outputs);
        const Dense expected = Eigen::MatrixXd(stacked).householderQr().solve(Eigen::MatrixXd(target));
        EXPECT_LE((ours.x - expected).norm(), 1e-11 * expected.norm()) << n << " " << outputs << " " << ridge;
      }
}

TEST(LeastSquares, SingularMatrixGivesTheLeastNormSolution) {
  LeastSquaresSpace space;
  Dense z = random_matrix(40, 8, 3);
  z.col(5) = z.col(2);                 // a repeated feature
  z.col(7) = z.col(0) - 2 * z.col(1);  // and a dependent one
  const Dense y = random_matrix(40, 2, 4);
  const Solved ours = solve(z, y, 0, space);
  EXPECT_EQ(ours.result.reason, StopReason::solved);
  EXPECT_EQ(ours.result.rank, 6U);
  EXPECT_TRUE(ours.result.singular(8));
  const Dense expected =
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(Eigen::MatrixXd(z)).solve(Eigen::MatrixXd(y));
  EXPECT_LE((ours.x - expected).norm(), 1e-10 * expected.norm());
  EXPECT_NE(ours.result.message.find("singular"), std::string_view::npos);

  // A ridge makes it regular again, and tends to the same solution.
  const Solved ridged = solve(z, y, 1e-6, space);
  EXPECT_FALSE(ridged.result.singular(8));
  EXPECT_LE((ridged.x - expected).norm(), 1e-5 * expected.norm());
}

TEST(LeastSquares, DependentColumnsAreFoundWhicheverWayTheirPivotRounds) {
  LeastSquaresSpace space;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Eigen::Index rows = seed % 3 == 0 ? 4000 : 60;
    Dense z = random_matrix(rows, 12, seed);
    z.col(11) = z.leftCols(11) * random_matrix(11, 1, seed + 1000);
    const Dense y = random_matrix(rows, 1, seed + 2000);
    const Solved ours = solve(z, y, 0, space);
    EXPECT_EQ(ours.result.rank, 11U) << seed;
    const Dense expected =
        Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(Eigen::MatrixXd(z)).solve(Eigen::MatrixXd(y));
    EXPECT_LE((ours.x - expected).norm(), 1e-9 * expected.norm()) << seed;
  }
}

TEST(LeastSquares, BadlyScaledColumnsAreNotTakenForSingular) {
  LeastSquaresSpace space;
  Dense z = random_matrix(50, 6, 5);
  for (Eigen::Index j = 0; j < 6; ++j) z.col(j) *= std::pow(10.0, -2.0 * static_cast<double>(j));
  const Dense y = random_matrix(50, 1, 6);
  const Solved ours = solve(z, y, 0, space);
  EXPECT_EQ(ours.result.message, "Cholesky");
  const Dense expected = Eigen::MatrixXd(z).householderQr().solve(Eigen::MatrixXd(y));
  for (Eigen::Index j = 0; j < 6; ++j) EXPECT_NEAR(ours.x(j), expected(j), 1e-9 * std::abs(expected(j)));
}

TEST(LeastSquares, ZeroMatrixHasTheZeroSolution) {
  LeastSquaresSpace space;
  const Solved ours = solve(Dense::Zero(5, 3), random_matrix(5, 2, 1), 0, space);
  EXPECT_EQ(ours.result.rank, 0U);
  EXPECT_EQ(ours.x, Dense::Zero(3, 2));
}

TEST(LeastSquares, ReadsTheUpperTriangleAndMaySolveInPlaceWithAnyStride) {
  LeastSquaresSpace space;
  Dense a{{4, 1}, {std::numeric_limits<double>::max(), 3}};
  Dense b{{1, 2, 99}, {3, 4, 99}};
  const Matrix two_columns(b.data(), 2, 2, 3);
  EXPECT_EQ(solve_regularised(view(a), 1, two_columns, space, two_columns).reason, StopReason::solved);
  const Dense expected = Eigen::Matrix2d{{5, 1}, {1, 4}}.inverse() * Eigen::Matrix2d{{1, 2}, {3, 4}};
  EXPECT_TRUE(b.leftCols(2).isApprox(expected, 1e-14));
  EXPECT_EQ(b(0, 2), 99);
}

TEST(LeastSquares, ValuesThatAreNotFiniteAreReportedAndNothingIsWritten) {
  LeastSquaresSpace space;
  Dense a = Dense::Identity(2, 2);
  Dense b{{1}, {std::numeric_limits<double>::infinity()}};
  Dense x{{7}, {8}};
  EXPECT_EQ(solve_regularised(view(a), 0, view(b), space, view(x)).reason, StopReason::non_finite);
  EXPECT_EQ(x(0), 7);
  EXPECT_THROW(solve_regularised(view(a), -1, view(b), space, view(x)), InvalidOption);
}

}  // namespace
}  // namespace strata
