#include "strata/core/exact_sum.h"

#include <algorithm>
#include <cmath>

namespace strata {

void ExactSum::add(double value) {
  if (value == 0) return;
  int exponent = 0;
  // 53 bits as an integer, times 2^(exponent - 53); small enough numbers have fewer bits.
  const double fraction = std::frexp(std::abs(value), &exponent);
  auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  int position = exponent - 53 - lowest_exponent;
  if (position < 0) {  // a subnormal number: the bits below the lowest are zero
    mantissa >>= static_cast<unsigned>(-position);
    position = 0;
  }
  const auto digit = static_cast<std::size_t>(position) / 32;
  const auto shift = static_cast<unsigned>(position) % 32;
  const std::uint64_t low = mantissa << shift;  // loses what `high` has
  const std::uint64_t high = shift == 0 ? 0 : mantissa >> (64 - shift);
  const std::int64_t sign = value < 0 ? -1 : 1;
  digits_[digit] += sign * static_cast<std::int64_t>(low & 0xffffffffU);
  digits_[digit + 1] += sign * static_cast<std::int64_t>(low >> 32U);
  digits_[digit + 2] += sign * static_cast<std::int64_t>(high);
  if (++additions_ >= most_additions) carry();
}

ExactSum& ExactSum::operator+=(const ExactSum& other) {
  ExactSum carried = other;
  carried.carry();
  carry();
  for (std::size_t i = 0; i < digits_.size(); ++i) digits_[i] += carried.digits_[i];
  carry();
  return *this;
}

// All digits but the last into [0, 2^32): one way to write each number.
void ExactSum::carry() {
  for (std::size_t i = 0; i + 1 < digits_.size(); ++i) {
    const std::int64_t excess = digits_[i] >> 32U;  // rounds down, also where the digit is negative
    digits_[i] -= excess * (std::int64_t{1} << 32U);
    digits_[i + 1] += excess;
  }
  additions_ = 0;
}

double ExactSum::value() const {
  ExactSum sum = *this;
  sum.carry();
  const bool negative = sum.digits_.back() < 0;
  if (negative) {  // written by its magnitude, so that -x reads as the opposite of x
    for (std::int64_t& digit : sum.digits_) digit = -digit;
    sum.carry();
  }
  double value = 0;
  for (std::size_t i = sum.digits_.size(); i-- > 0;)
    value += std::ldexp(static_cast<double>(sum.digits_[i]), static_cast<int>(32 * i) + lowest_exponent);
  return negative ? -value : value;
}

}  // namespace strata
