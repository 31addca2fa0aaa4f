#include "strata/solvers/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>

#include "strata/core/errors.h"

namespace strata {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<RowMajor, 0, Eigen::OuterStride<>>;
using Square = Eigen::Map<Eigen::MatrixXd>;
using Cholesky = Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>;

// Relative size of what rounding leaves of a zero: N eps from the factorisation, and a margin because A is
// itself a rounded sum over many rows.
double rounding(std::size_t size) {
  return 10 * static_cast<double>(size) * std::numeric_limits<double>::epsilon();
}

bool all_rows_finite(ConstMatrix m) {
  for (std::size_t i = 0; i < m.rows(); ++i)
    if (!all_finite(m.row(i))) return false;
  return true;
}

View view(Matrix m) {
  return {m.data(), static_cast<Eigen::Index>(m.rows()), static_cast<Eigen::Index>(m.columns()),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(m.stride()))};
}

void copy(ConstMatrix from, Matrix to) {
  if (from.data() == to.data() && from.stride() == to.stride()) return;
  for (std::size_t i = 0; i < from.rows(); ++i)
    std::copy(from.row(i).begin(), from.row(i).end(), to.row(i).begin());
}

// Both triangles from the upper one; what is left in `out` by an earlier factorisation is overwritten.
void regularised(ConstMatrix a, double ridge, Square& out) {
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    for (std::size_t j = i; j < a.rows(); ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      out(row, column) = out(column, row) = a(i, j);
    }
    out(row, row) += ridge;
  }
}

// Pivot i over diagonal entry i is the part of column i that the columns before it do not explain (1 - R^2):
// a test that no scaling of the columns can fool.
bool pivots_above_rounding(const Cholesky& cholesky, ConstMatrix a, double ridge) {
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double root = cholesky.matrixLLT()(row, row);
    if (!(root * root > rounding(a.rows()) * (a(i, i) + ridge))) return false;
  }
  return true;
}

std::size_t least_norm_solution(const Square& matrix, View x) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(matrix);
  const Eigen::VectorXd& values = eigen.eigenvalues();
  const double zero = rounding(static_cast<std::size_t>(values.size())) * values.cwiseAbs().maxCoeff();
  const Eigen::VectorXd inverse =
      values.unaryExpr([zero](double value) { return value > zero ? 1 / value : 0.0; });
  const Eigen::MatrixXd coordinates = inverse.asDiagonal() * (eigen.eigenvectors().transpose() * x);
  x.noalias() = eigen.eigenvectors() * coordinates;
  return static_cast<std::size_t>((values.array() > zero).count());
}

}  // namespace

LeastSquaresResult solve_regularised(ConstMatrix a, double ridge, ConstMatrix b, LeastSquaresSpace& space,
                                     Matrix x) {
  assert(a.rows() == a.columns() && b.rows() == a.rows());
  assert(x.rows() == b.rows() && x.columns() == b.columns());
  if (!(ridge >= 0 && std::isfinite(ridge)))
    throw InvalidOption("ridge", std::to_string(ridge), "use 0 or more");
  if (!all_rows_finite(a) || !all_rows_finite(b))
    return {StopReason::non_finite, "the matrix or the right-hand side is not finite", 0};
  if (a.rows() == 0) return {StopReason::solved, "nothing to solve", 0};

  const auto size = static_cast<Eigen::Index>(a.rows());
  space.factor.resize(a.size());
  Square matrix(space.factor.data(), size, size);
  regularised(a, ridge, matrix);
  copy(b, x);
  Eigen::Ref<Eigen::MatrixXd> in_place(matrix);
  const Cholesky cholesky(in_place);
  if (cholesky.info() == Eigen::Success && pivots_above_rounding(cholesky, a, ridge)) {
    auto solution = view(x);
    cholesky.solveInPlace(solution);
    return {StopReason::solved, "Cholesky", a.rows()};
  }
  regularised(a, ridge, matrix);
  return {StopReason::solved, "singular to rounding: the least-norm solution",
          least_norm_solution(matrix, view(x))};
}

}  // namespace strata
