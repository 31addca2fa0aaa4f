#include "strata/core/exact_sum.h"

#include <bit>
#include <cmath>

namespace strata {

void ExactSum::add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<unsigned>(bits >> 52U) & 0x7ffU;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52U) - 1);
  // The value is mantissa times 2^(position + lowest_exponent); subnormal numbers lack the leading one.
  const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | (std::uint64_t{1} << 52U);
  const unsigned position = exponent == 0 ? 0 : exponent - 1;
  const auto digit = position / 32;
  const auto shift = position % 32;
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
