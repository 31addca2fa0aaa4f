#include "support/problems.h"

#include <algorithm>
#include <cmath>

#include "strata/core/random.h"

namespace strata::test {

bool Problem::at_a_minimum(double f) const {
  return std::any_of(minima.begin(), minima.end(), [f](double minimum) {
    return std::abs(f - minimum) <= (minimum == 0 ? 1e-6 : 1e-4 * minimum);
  });
}

Quadratic::Quadratic(std::size_t size, double condition, std::uint64_t seed)
    : eigenvalues_(size), mirror_(size), shifted_(size) {
  RandomStream random(seed);
  for (std::size_t i = 0; i < size; ++i) {
    const double place = size > 1 ? static_cast<double>(i) / static_cast<double>(size - 1) : 0;
    eigenvalues_[i] = std::pow(condition, place);
    mirror_[i] = random.normal();
  }
  const double length = norm(mirror_);
  for (double& component : mirror_) component /= length;
}

void Quadratic::reflect(std::span<double> v) const { add_scaled(v, -2 * dot(mirror_, v), mirror_); }

void Quadratic::hessian_times(std::span<const double> v, std::span<double> hv) {
  std::copy(v.begin(), v.end(), hv.begin());
  reflect(hv);
  for (std::size_t i = 0; i < hv.size(); ++i) hv[i] *= eigenvalues_[i];
  reflect(hv);
}

double Quadratic::value_and_gradient(std::span<const double> x, std::span<double> g) {
  std::transform(x.begin(), x.end(), shifted_.begin(), [](double xi) { return xi - 1; });
  hessian_times(shifted_, g);
  return 0.5 * dot(shifted_, g);
}

double Quadratic::value(std::span<const double> x) {
  std::transform(x.begin(), x.end(), shifted_.begin(), [](double xi) { return xi - 1; });
  reflect(shifted_);
  double sum = 0;
  for (std::size_t i = 0; i < shifted_.size(); ++i) sum += eigenvalues_[i] * shifted_[i] * shifted_[i];
  return 0.5 * sum;
}

double gradient_error(Problem& problem, std::span<const double> x) {
  Vector point(x.begin(), x.end());
  Vector gradient(x.size());
  problem.value_and_gradient(point, gradient);
  double scale = 1;
  double error = 0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const double step = 1e-5 * std::max(std::abs(x[i]), 1e-2);
    point[i] = x[i] + step;
    const double above = problem.value(point);
    point[i] = x[i] - step;
    const double below = problem.value(point);
    point[i] = x[i];
    scale = std::max(scale, std::abs(gradient[i]));
    error = std::max(error, std::abs(gradient[i] - (above - below) / (2 * step)));
  }
  return error / scale;
}

}  // namespace strata::test
