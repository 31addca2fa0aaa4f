#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "strata/core/vector.h"

namespace strata::test {

// A smooth function with a known minimum; counts its calls.
struct Problem {
  std::string name;
  Vector start;
  std::vector<double> minima;  // published values of f at its minimisers: any of them will do
  std::function<double(std::span<const double>, double* gradient)> evaluate;  // gradient may be null
  double gradient_tolerance = 1e-5;  // small enough for the published digits to be reached
  int calls = 0;

  [[nodiscard]] std::size_t size() const { return start.size(); }
  double value(std::span<const double> x) { return ++calls, evaluate(x, nullptr); }
  double value_and_gradient(std::span<const double> x, std::span<double> g) {
    return ++calls, evaluate(x, g.data());
  }
  // Within 1e-4 relative (the published values have six digits), or 1e-6 absolute of a zero minimum.
  [[nodiscard]] bool at_a_minimum(double f) const;

  friend std::ostream& operator<<(std::ostream& out, const Problem& problem) { return out << problem.name; }
};

// J. J. More, B. S. Garbow, K. E. Hillstrom, "Testing unconstrained optimization software", ACM TOMS 7 (1981)
// 17-41: functions, standard starting points and minima as printed there.
std::vector<Problem> more_garbow_hillstrom();

// q(x) = sum_i h_i (u_i'(x - 1))^2 / 2 with h_i from 1 to `condition` on a logarithmic scale and u_i
// orthonormal (a Householder reflection). The minimum is 0 at the vector of ones.
class Quadratic {
 public:
  Quadratic(std::size_t size, double condition, std::uint64_t seed);

  [[nodiscard]] std::size_t size() const { return eigenvalues_.size(); }
  double value(std::span<const double> x);
  double value_and_gradient(std::span<const double> x, std::span<double> g);
  void hessian_times(std::span<const double> v, std::span<double> hv);

  Vector& eigenvalues() { return eigenvalues_; }

 private:
  void reflect(std::span<double> v) const;

  Vector eigenvalues_, mirror_, shifted_;
};

// The largest difference between the gradient and central differences, relative to the gradient's largest
// entry or 1.
double gradient_error(Problem& problem, std::span<const double> x);

}  // namespace strata::test
