#pragma once

#include <cmath>

namespace strata::test {

// A number and its derivative along one direction: test problems are written once, as values, and their
// gradients follow without a second chance for a slip.
struct Dual {
  double value = 0;
  double slope = 0;

  Dual() = default;
  Dual(double v, double s = 0)
      : value(v), slope(s) {}  // NOLINT(google-explicit-constructor): a number is a Dual

  friend Dual operator-(Dual a) { return {-a.value, -a.slope}; }
  friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Dual operator*(Dual a, Dual b) { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }
  friend Dual operator/(Dual a, Dual b) {
    const double quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  friend Dual& operator+=(Dual& a, Dual b) { return a = a + b; }
  friend Dual& operator*=(Dual& a, Dual b) { return a = a * b; }
};

inline Dual exp(Dual a) { return {std::exp(a.value), std::exp(a.value) * a.slope}; }
inline Dual sin(Dual a) { return {std::sin(a.value), std::cos(a.value) * a.slope}; }
inline Dual cos(Dual a) { return {std::cos(a.value), -std::sin(a.value) * a.slope}; }
inline Dual sqrt(Dual a) { return {std::sqrt(a.value), a.slope / (2 * std::sqrt(a.value))}; }
inline Dual atan(Dual a) { return {std::atan(a.value), a.slope / (1 + a.value * a.value)}; }

}  // namespace strata::test
