#pragma once

#include <array>
#include <cstdint>

namespace strata {

// A sum of doubles without any rounding until it is read: the same bits in whatever order, and in whatever parts, the
// numbers were added. It is a fixed-point number wide enough for every double, in digits of 32 bits.
class ExactSum {
 public:
  void add(double value);  // finite
  ExactSum& operator+=(const ExactSum& other);
  [[nodiscard]] double value() const;

 private:
  static constexpr int lowest_exponent = -1074;
  static constexpr std::uint32_t most_additions = 1U << 29U;  // before a digit could overflow

  void carry();

  std::array<std::int64_t, 68> digits_{};  // least significant first; each may be beyond 32 bits for a while
  std::uint32_t additions_ = 0;            // since the last carry
};

}  // namespace strata
