// Highway compiles this file once per instruction set and picks one at run time.
#include "kernels/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd/simd_bytes.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "kernels/bytes.h"

HWY_BEFORE_NAMESPACE();
namespace strata {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<std::uint8_t, 64>;  // a vector is a part of 64 bytes

HWY_INLINE auto load(Bytes d, const char* from) {
  return hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from));
}

// A bit for each of 64 bytes that is one of the two, the first of them lowest.
HWY_INLINE std::uint64_t marks(const char* bytes, hn::Vec<Bytes> one, hn::Vec<Bytes> other) {
  const Bytes d;
  constexpr std::size_t lanes = hn::MaxLanes(Bytes());
  std::uint64_t word = 0;
  for (std::size_t b = 0; b < 64; b += lanes) {
    const auto v = load(d, bytes + b);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Or(hn::Eq(v, one), hn::Eq(v, other)), bits);
    for (std::size_t k = 0; 8 * k < lanes; ++k) word |= std::uint64_t{bits[k]} << (b + 8 * k);
  }
  return word;
}

std::uint32_t* places_after(const char* bytes, std::size_t words, char one, char other, std::uint32_t begin,
                            std::uint32_t* to) {
  const Bytes d;
  const auto first = hn::Set(d, static_cast<std::uint8_t>(one));
  const auto second = hn::Set(d, static_cast<std::uint8_t>(other));
  for (std::size_t w = 0; w < words; ++w) {
    std::uint64_t left = marks(bytes + 64 * w, first, second);
    const std::uint32_t after = begin + static_cast<std::uint32_t>(64 * w) + 1;
    std::uint32_t* const end = to + hwy::PopCount(left);
    // Eight at a time, also where there are less: the processor would guess their number wrong.
    for (; left != 0; to += 8)
      for (std::size_t k = 0; k < 8; ++k) {
        to[k] = after + static_cast<std::uint32_t>(std::countr_zero(left));
        left &= left - 1;
      }
    to = end;
  }
  return to;
}

std::size_t place_after(const char* bytes, std::size_t size, char one, std::size_t& count) {
  const Bytes d;
  const auto sought = hn::Set(d, static_cast<std::uint8_t>(one));
  std::size_t found = 0;
  std::size_t at = 0;
  for (; at + hn::Lanes(d) <= size; at += hn::Lanes(d)) {
    const std::size_t here = hn::CountTrue(d, hn::Eq(load(d, bytes + at), sought));
    if (found + here >= count) break;
    found += here;
  }
  for (; at < size && found < count; ++at) found += bytes[at] == one ? 1 : 0;
  count = found;
  return at;
}

const ByteKernels& byte_table() {
  static constexpr ByteKernels kernels{"simd", places_after, place_after};
  return kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace strata
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strata {

HWY_EXPORT(byte_table);

const ByteKernels& simd_bytes() { return HWY_DYNAMIC_DISPATCH(byte_table)(); }

}  // namespace strata
#endif  // HWY_ONCE
