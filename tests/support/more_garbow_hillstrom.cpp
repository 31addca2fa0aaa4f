#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "support/dual.h"
#include "support/problems.h"

namespace strata::test {

namespace {

using std::atan;
using std::cos;
using std::exp;
using std::sin;
using std::sqrt;

double number(double a) { return a; }
double number(Dual a) { return a.value; }

template <class T>
T square(T a) {
  return a * a;
}

// f(x) = sum of squares of the residuals. `residuals(x, add)` calls add(r) for each, for numbers as for
// duals.
template <class Residuals>
Problem sum_of_squares(const std::string& name, const Vector& start, const std::vector<double>& minima,
                       Residuals residuals) {
  const auto total = [residuals]<class T>(const std::vector<T>& x) {
    T sum{};
    residuals(x, [&sum](T r) { sum += r * r; });
    return sum;
  };
  const auto evaluate = [total](std::span<const double> x, double* gradient) {
    const double value = total(std::vector<double>(x.begin(), x.end()));
    if (gradient == nullptr) return value;
    std::vector<Dual> seeded(x.begin(), x.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
      seeded[i].slope = 1;
      gradient[i] = total(seeded).slope;
      seeded[i].slope = 0;
    }
    return value;
  };
  return {.name = name, .start = start, .minima = minima, .evaluate = evaluate};
}

// The problems of two to four variables, numbered as in the paper.
void add_small(std::vector<Problem>& all) {
  all.push_back(sum_of_squares("01 Rosenbrock", {-1.2, 1}, {0}, [](const auto& x, auto add) {
    add(10 * (x[1] - x[0] * x[0]));
    add(1 - x[0]);
  }));
  all.push_back(
      sum_of_squares("02 Freudenstein and Roth", {0.5, -2}, {0, 48.9842}, [](const auto& x, auto add) {
        add(-13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1]);
        add(-29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1]);
      }));
  all.push_back(sum_of_squares("03 Powell badly scaled", {0, 1}, {0}, [](const auto& x, auto add) {
    add(1e4 * x[0] * x[1] - 1);
    add(exp(-x[0]) + exp(-x[1]) - 1.0001);
  }));
  all.push_back(sum_of_squares("04 Brown badly scaled", {1, 1}, {0}, [](const auto& x, auto add) {
    add(x[0] - 1e6);
    add(x[1] - 2e-6);
    add(x[0] * x[1] - 2);
  }));
  all.push_back(sum_of_squares("05 Beale", {1, 1}, {0}, [](const auto& x, auto add) {
    add(1.5 - x[0] * (1 - x[1]));
    add(2.25 - x[0] * (1 - x[1] * x[1]));
    add(2.625 - x[0] * (1 - x[1] * x[1] * x[1]));
  }));
  all.push_back(sum_of_squares("06 Jennrich and Sampson", {0.3, 0.4}, {124.362}, [](const auto& x, auto add) {
    for (int i = 1; i <= 10; ++i) add(2.0 + 2.0 * i - (exp(i * x[0]) + exp(i * x[1])));
  }));
  all.push_back(sum_of_squares("07 helical valley", {-1, 0, 0}, {0}, [](const auto& x, auto add) {
    const auto turn = atan(x[1] / x[0]) / (2 * std::numbers::pi) + (number(x[0]) < 0 ? 0.5 : 0.0);
    add(10 * (x[2] - 10 * turn));
    add(10 * (sqrt(x[0] * x[0] + x[1] * x[1]) - 1));
    add(x[2]);
  }));
  all.push_back(sum_of_squares("08 Bard", {1, 1, 1}, {8.21487e-3, 17.4286}, [](const auto& x, auto add) {
    constexpr std::array y{0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39,
                           0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39};
    for (int u = 1; u <= 15; ++u) {
      const int v = 16 - u;
      add(y[static_cast<std::size_t>(u - 1)] - (x[0] + u / (v * x[1] + std::min(u, v) * x[2])));
    }
  }));
  all.push_back(sum_of_squares("09 Gaussian", {0.4, 1, 0}, {1.12793e-8}, [](const auto& x, auto add) {
    constexpr std::array y{0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989,
                           0.3521, 0.2420, 0.1295, 0.0540, 0.0175, 0.0044, 0.0009};
    for (int i = 0; i < 15; ++i) {
      const double t = (7 - i) / 2.0;
      add(x[0] * exp(-x[1] * square(t - x[2]) / 2) - y[static_cast<std::size_t>(i)]);
    }
  }));
  all.back().gradient_tolerance = 1e-7;  // the minimum itself is 1e-8
  all.push_back(sum_of_squares("12 Box three-dimensional", {0, 10, 20}, {0}, [](const auto& x, auto add) {
    for (int i = 1; i <= 10; ++i) {
      const double t = 0.1 * i;
      add(exp(-t * x[0]) - exp(-t * x[1]) - x[2] * (std::exp(-t) - std::exp(-10 * t)));
    }
  }));
  all.push_back(sum_of_squares("13 Powell singular", {3, -1, 0, 1}, {0}, [](const auto& x, auto add) {
    add(x[0] + 10 * x[1]);
    add(std::sqrt(5.0) * (x[2] - x[3]));
    add(square(x[1] - 2 * x[2]));
    add(std::sqrt(10.0) * square(x[0] - x[3]));
  }));
  all.push_back(sum_of_squares("14 Wood", {-3, -1, -3, -1}, {0}, [](const auto& x, auto add) {
    add(10 * (x[1] - x[0] * x[0]));
    add(1 - x[0]);
    add(std::sqrt(90.0) * (x[3] - x[2] * x[2]));
    add(1 - x[2]);
    add(std::sqrt(10.0) * (x[1] + x[3] - 2));
    add((x[1] - x[3]) / std::sqrt(10.0));
  }));
  all.push_back(sum_of_squares(
      "15 Kowalik and Osborne", {0.25, 0.39, 0.415, 0.39}, {3.07505e-4, 1.02734e-3},
      [](const auto& x, auto add) {
        constexpr std::array y{0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627,
                               0.0456, 0.0342, 0.0323, 0.0235, 0.0246};
        constexpr std::array u{4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625};
        for (std::size_t i = 0; i < y.size(); ++i)
          add(y[i] - x[0] * (u[i] * u[i] + u[i] * x[1]) / (u[i] * u[i] + u[i] * x[2] + x[3]));
      }));
  all.push_back(
      sum_of_squares("16 Brown and Dennis", {25, 5, -5, -1}, {85822.2}, [](const auto& x, auto add) {
        for (int i = 1; i <= 20; ++i) {
          const double t = i / 5.0;
          add(square(x[0] + t * x[1] - std::exp(t)) + square(x[2] + std::sin(t) * x[3] - std::cos(t)));
        }
      }));
  all.back().gradient_tolerance = 1e-2;  // differences of values near 8e4 resolve no smaller gradient
}

// The problems of more variables, or of any number.
void add_large(std::vector<Problem>& all) {
  all.push_back(
      sum_of_squares("18 Biggs EXP6", {1, 2, 1, 1, 1, 1}, {0, 5.65565e-3}, [](const auto& x, auto add) {
        for (int i = 1; i <= 13; ++i) {
          const double t = 0.1 * i;
          const double y = std::exp(-t) - 5 * std::exp(-10 * t) + 3 * std::exp(-4 * t);
          add(x[2] * exp(-t * x[0]) - x[3] * exp(-t * x[1]) + x[5] * exp(-t * x[4]) - y);
        }
      }));
  all.push_back(
      sum_of_squares("20 Watson, 6 variables", Vector(6, 0.0), {2.28767e-3}, [](const auto& x, auto add) {
        for (int i = 1; i <= 29; ++i) {
          const double t = i / 29.0;
          auto sum = 0 * x[0];
          auto derivative = 0 * x[0];
          for (std::size_t j = 0; j < x.size(); ++j) {
            const auto power = static_cast<double>(j);
            sum += std::pow(t, power) * x[j];
            if (j > 0) derivative += power * std::pow(t, power - 1) * x[j];
          }
          add(derivative - sum * sum - 1);
        }
        add(x[0]);
        add(x[1] - x[0] * x[0] - 1);
      }));
  Vector rosenbrock(20, 1.0);
  for (std::size_t i = 0; i < 20; i += 2) rosenbrock[i] = -1.2;
  all.push_back(
      sum_of_squares("21 extended Rosenbrock, 20 variables", rosenbrock, {0}, [](const auto& x, auto add) {
        for (std::size_t i = 0; i < x.size(); i += 2) {
          add(10 * (x[i + 1] - x[i] * x[i]));
          add(1 - x[i]);
        }
      }));
  Vector ramp(10);
  for (std::size_t i = 0; i < 10; ++i) ramp[i] = static_cast<double>(i + 1);
  all.push_back(sum_of_squares("23 penalty I, 10 variables", ramp, {7.08765e-5}, [](const auto& x, auto add) {
    auto sum = 0 * x[0];
    for (const auto& xi : x) {
      add(std::sqrt(1e-5) * (xi - 1));
      sum += xi * xi;
    }
    add(sum - 0.25);
  }));
  all.back().gradient_tolerance = 1e-6;  // a flat valley leads to the minimum
  Vector falling(10);
  for (std::size_t i = 0; i < 10; ++i) falling[i] = 1 - static_cast<double>(i + 1) / 10;
  all.push_back(
      sum_of_squares("25 variably dimensioned, 10 variables", falling, {0}, [](const auto& x, auto add) {
        auto sum = 0 * x[0];
        for (std::size_t i = 0; i < x.size(); ++i) {
          add(x[i] - 1);
          sum += static_cast<double>(i + 1) * (x[i] - 1);
        }
        add(sum);
        add(sum * sum);
      }));
  all.push_back(sum_of_squares("26 trigonometric, 10 variables", Vector(10, 0.1), {0, 2.79506e-5},
                               [](const auto& x, auto add) {
                                 auto sum = 0 * x[0];
                                 for (const auto& xi : x) sum += cos(xi);
                                 const auto n = static_cast<double>(x.size());
                                 for (std::size_t i = 0; i < x.size(); ++i)
                                   add(n - sum + static_cast<double>(i + 1) * (1 - cos(x[i])) - sin(x[i]));
                               }));
  all.push_back(sum_of_squares("27 Brown almost-linear, 10 variables", Vector(10, 0.5), {0, 1},
                               [](const auto& x, auto add) {
                                 auto sum = 0 * x[0];
                                 auto product = 0 * x[0] + 1;
                                 for (const auto& xi : x) {
                                   sum += xi;
                                   product *= xi;
                                 }
                                 const auto n = static_cast<double>(x.size());
                                 for (std::size_t i = 0; i + 1 < x.size(); ++i) add(x[i] + sum - (n + 1));
                                 add(product - 1);
                               }));
  all.push_back(sum_of_squares("30 Broyden tridiagonal, 20 variables", Vector(20, -1.0), {0},
                               [](const auto& x, auto add) {
                                 for (std::size_t i = 0; i < x.size(); ++i) {
                                   const auto before = i > 0 ? x[i - 1] : 0 * x[0];
                                   const auto after = i + 1 < x.size() ? x[i + 1] : 0 * x[0];
                                   add((3 - 2 * x[i]) * x[i] - before - 2 * after + 1);
                                 }
                               }));
  Vector places(8);
  for (std::size_t i = 0; i < 8; ++i) places[i] = static_cast<double>(i + 1) / 9;
  all.push_back(
      sum_of_squares("35 Chebyquad, 8 variables", places, {3.51687e-3}, [](const auto& x, auto add) {
        const auto n = static_cast<double>(x.size());
        for (std::size_t degree = 1; degree <= x.size(); ++degree) {
          auto sum = 0 * x[0];
          for (const auto& xi : x) {  // Chebyshev polynomials shifted to [0, 1]
            auto before = 0 * xi + 1;
            auto now = 2 * xi - 1;
            for (std::size_t k = 1; k < degree; ++k) {
              const auto next = 2 * (2 * xi - 1) * now - before;
              before = now;
              now = next;
            }
            sum += now;
          }
          const auto i = static_cast<double>(degree);
          const double integral = degree % 2 == 0 ? -1 / (i * i - 1) : 0;
          add(sum / n - integral);
        }
      }));
}

}  // namespace

std::vector<Problem> more_garbow_hillstrom() {
  std::vector<Problem> all;
  add_small(all);
  add_large(all);
  return all;
}

}  // namespace strata::test
