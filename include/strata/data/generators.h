#pragma once

#include <cstddef>
#include <cstdint>

#include "strata/data/table.h"

namespace strata {

// Made-up tables: no file is needed, and the same seed gives the same bits on every platform. Noise has its own stream,
// so the inputs do not depend on its size. Inputs x1, x2, ... are uniform on [0, 1), the target is y.

struct Friedman1Options {
  std::size_t rows = 1000;
  std::size_t inputs = 10;  // at least 5; those after x5 do not matter to y
  double noise = 1.0;       // standard deviation of the normal noise
  std::uint64_t seed = 0;
};

// y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + noise * e
// (J. H. Friedman, Multivariate Adaptive Regression Splines, Annals of Statistics 19, 1991).
Table friedman1(const Friedman1Options& options);

struct FoldedStaircaseOptions {
  std::size_t rows = 1000;
  std::size_t inputs = 4;  // at least 3; those after x3 do not matter to y
  int folds = 4;           // 1 .. 40
  double noise = 0.0;
  std::uint64_t seed = 0;
};

// t = fold(fold(... (x1 + x2)/2)), `folds` times, with fold(u) = 1 - |2u - 1|
// y = t where x3 < 1/2, otherwise floor(4 t)/4; plus noise * e
// Every fold doubles the number of linear pieces while it costs a network one small layer more: a composition
// that depth represents far more cheaply than width (M. Telgarsky, Benefits of depth in neural networks, COLT 2016).
Table folded_staircase(const FoldedStaircaseOptions& options);

struct HousingOptions {
  std::size_t rows = 1000;
  double noise = 0.05;  // standard deviation of the normal noise, relative to the price
  std::uint64_t seed = 0;
};

// Made-up houses, for examples that should look like a file somebody has: area, rooms, age, distance to the centre,
// garden and condition (texts), and a price
//   area (1500 + 3500/(1 + distance/6)) (1 - 0.3 age/(age + 40)) c + 15000 [garden],  c = 0.8, 1, 1.15 by condition,
// times 1 + noise * e, rounded to hundreds.
Table housing(const HousingOptions& options);

struct SpiralsOptions {
  std::size_t rows = 1000;
  std::size_t classes = 2;  // 2 to 26
  double noise = 0.02;      // standard deviation of the normal noise on both inputs
  std::uint64_t seed = 0;
};

// Arms of a spiral, for classification: a row of the k-th of K classes lies at distance u from the centre, uniform on
// [0, 1), at the angle 2 pi (u + k/K); x1 and x2 are its place, plus noise. The target `class` holds letters: a, b, ...
Table spirals(const SpiralsOptions& options);

}  // namespace strata
