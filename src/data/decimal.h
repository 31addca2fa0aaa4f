#pragma once

#include <fast_float/fast_float.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace strata {

// Eight bytes as a number, the first of them lowest.
inline std::uint64_t eight_bytes(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

// The number that eight digits are, each of them 0 to 9 in its byte, the first lowest.
inline std::uint64_t value_of_eight_digits(std::uint64_t word) {
  word = word * 10 + (word >> 8U);  // pairs
  constexpr std::uint64_t every_fourth = 0x000000FF000000FFU;
  return ((word & every_fourth) * 0x000F424000000064U +
          ((word >> 16U) & every_fourth) * 0x0000271000000001U) >>
         32U;
}

// Appends the digits that stand here to a number, eight at a time, and returns the place after them: numbers differ in length, and a
// loop over digits would end where the processor does not expect it. Looks at 8 bytes after them.
inline const char* append_digits(const char* at, std::uint64_t& number) {
  static constexpr std::array<std::uint64_t, 8> powers{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  for (;;) {
    const std::uint64_t word = eight_bytes(at) ^ 0x3030303030303030U;  // digits are 0 to 9 now
    const std::uint64_t others = ((word + 0x7676767676767676U) | word) & 0x8080808080808080U;
    if (others != 0) {  // of which the lowest is right
      const auto count = static_cast<unsigned>(std::countr_zero(others)) / 8;
      if (count == 0) return at;
      number = number * powers[count] + value_of_eight_digits(word << (64 - 8 * count));
      return at + count;
    }
    number = number * 100000000 + value_of_eight_digits(word);
    at += 8;
  }
}

// Reads a number without an exponent, "-12.5", as most cells are, and returns the place after it. Of at most 19 digits, because these
// are an integer of 64 bits. Of at most 15 the integer and the power of ten are doubles without rounding, so that one division gives
// the nearest double, as any careful reader would; for others there is the step of fast_float that makes a double of the two. nullptr
// for all else. Looks at 8 bytes after the number.
inline const char* read_decimal(const char* at, char decimal, double& value) {
  static constexpr std::array<double, 16> powers{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr std::ptrdiff_t most_exact_digits = 15;
  constexpr std::ptrdiff_t most_digits = 19;
  const bool negative = *at == '-';
  at += static_cast<std::ptrdiff_t>(negative);
  std::uint64_t number = 0;
  const char* const first = at;
  if (at[1] == decimal && static_cast<unsigned>(static_cast<unsigned char>(*at)) - '0' < 10)
    number = static_cast<unsigned>(*at++ - '0');  // as in columns that were scaled: a third of the time less
  else
    at = append_digits(at, number);
  std::ptrdiff_t digits = at - first;
  std::ptrdiff_t behind = 0;
  if (*at == decimal) {
    const char* const point = at;
    at = append_digits(at + 1, number);
    behind = at - point - 1;
    digits += behind;
  }
  if (digits == 0 || *at == 'e' || *at == 'E') return nullptr;
  if (digits <= most_exact_digits) {
    // Signs change without a pattern: there is no branch on them.
    const std::uint64_t sign = std::uint64_t{negative} << 63U;
    value = static_cast<double>(number) / powers[static_cast<std::size_t>(behind)];
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | sign);
    return at;
  }
  if (digits > most_digits) {  // zeros before the first other digit are none
    for (const char* zero = first; zero < at && (*zero == '0' || *zero == decimal); ++zero)
      digits -= *zero == '0' ? 1 : 0;
    if (digits > most_digits) return nullptr;
  }
  const auto found = fast_float::compute_float<fast_float::binary_format<double>>(-behind, number);
  if (found.power2 < 0) return nullptr;
  fast_float::to_float(negative, found, value);
  return at;
}

}  // namespace strata
