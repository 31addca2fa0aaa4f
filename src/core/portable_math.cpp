#include "strata/core/portable_math.h"

#include <cmath>
#include <numbers>

namespace strata {

double portable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact: m in [1/2, 1)
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  // log m = 2 atanh(t), t = (m-1)/(m+1), |t| < 0.172: the series to t^23 is below half an ulp.
  const double t = (m - 1) / (m + 1);
  const double t2 = t * t;
  double sum = 0;
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * t2;
  return exponent * std::numbers::ln2 + 2 * t * (1 + sum);
}

double portable_sin(double x) {
  // x = k pi/2 + r with pi/2 in two parts, so that r keeps its digits.
  constexpr double half_pi_high = 0x1.921fb544p0;
  constexpr double half_pi_low = 0x1.0b4611a626331p-34;
  const double k = std::nearbyint(x / (half_pi_high + half_pi_low));
  const double r = (x - k * half_pi_high) - k * half_pi_low;
  const double r2 = r * r;
  const int quadrant = static_cast<int>(static_cast<long long>(k) & 3);
  double sum = 0;
  if (quadrant % 2 == 0) {
    for (int n = 19; n >= 3; n -= 2) sum = -(sum + 1) * r2 / (n * (n - 1));
    sum = r * (1 + sum);
  } else {
    for (int n = 20; n >= 2; n -= 2) sum = -(sum + 1) * r2 / (n * (n - 1));
    sum = 1 + sum;
  }
  return quadrant >= 2 ? -sum : sum;
}

}  // namespace strata
