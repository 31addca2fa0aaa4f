#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace strata {

// Eight bytes at a time: a digit is 0x30 to 0x39, and has the same upper half after 6 is added.
inline bool are_eight_digits(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  constexpr std::uint64_t upper = 0xF0F0F0F0F0F0F0F0U;
  constexpr std::uint64_t threes = 0x3030303030303030U;
  return (word & upper) == threes && ((word + 0x0606060606060606U) & upper) == threes;
}

// Reads a number of at most 15 digits without an exponent, "-12.5", as most cells are, and returns the place after it. The digits
// and the power of ten are doubles without rounding, so that one division gives the nearest double, as any careful reader
// would. nullptr for all else, and for some that are nearly as long. Looks at 16 bytes; some byte that follows is no digit.
inline const char* read_short_decimal(const char* at, char decimal, double& value) {
  if (are_eight_digits(at + 8)) return nullptr;
  constexpr std::array<double, 16> powers{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr std::ptrdiff_t most_digits = 15;
  const auto digit = [](char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; };
  const bool negative = *at == '-';
  if (negative) ++at;
  std::uint64_t number = 0;
  const char* const first = at;
  for (; digit(*at) < 10; ++at) number = 10 * number + digit(*at);
  std::ptrdiff_t digits = at - first;
  std::ptrdiff_t behind = 0;
  if (*at == decimal) {
    const char* const point = at++;
    for (; digit(*at) < 10; ++at) number = 10 * number + digit(*at);
    behind = at - point - 1;
    digits += behind;
  }
  if (digits == 0 || digits > most_digits || *at == 'e' || *at == 'E') return nullptr;
  value = static_cast<double>(number) / powers[static_cast<std::size_t>(behind)];
  if (negative) value = -value;
  return at;
}

}  // namespace strata
