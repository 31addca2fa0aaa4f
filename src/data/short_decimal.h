#pragma once

#include <fast_float/fast_float.h>

#include <array>
#include <bit>
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

// The number that eight digits are, the first of them lowest in the word.
inline std::uint64_t value_of_eight_digits(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  word -= 0x3030303030303030U;
  word = word * 10 + (word >> 8U);  // pairs
  constexpr std::uint64_t every_fourth = 0x000000FF000000FFU;
  return ((word & every_fourth) * 0x000F424000000064U +
          ((word >> 16U) & every_fourth) * 0x0000271000000001U) >>
         32U;
}

// The same for up to 19 digits, as programs write that want to read the same double again. These are an integer of 64 bits; what is
// left is the step of fast_float that makes a double of it and a power of ten. nullptr for all else. Looks at 8 bytes after the number.
inline const char* read_long_decimal(const char* at, char decimal, double& value) {
  if constexpr (std::endian::native != std::endian::little) return nullptr;
  constexpr std::ptrdiff_t most_digits = 19;
  const auto digit = [](char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; };
  const bool negative = *at == '-';
  if (negative) ++at;
  std::uint64_t number = 0;
  const char* significant = at;
  for (; digit(*at) < 10; ++at) number = 10 * number + digit(*at);
  std::ptrdiff_t digits = at - significant;
  if (digits == 0 || digits > most_digits || *at != decimal) return nullptr;
  const char* const point = at++;
  if (number == 0) {  // zeros before the first other digit are none
    digits = 0;
    while (*at == '0') ++at;
  }
  significant = at;
  for (; are_eight_digits(at); at += 8) number = 100000000 * number + value_of_eight_digits(at);
  for (; digit(*at) < 10; ++at) number = 10 * number + digit(*at);
  digits += at - significant;
  if (digits == 0 || digits > most_digits || *at == 'e' || *at == 'E') return nullptr;
  const auto found = fast_float::compute_float<fast_float::binary_format<double>>(point + 1 - at, number);
  if (found.power2 < 0) return nullptr;
  fast_float::to_float(negative, found, value);
  return at;
}

}  // namespace strata
