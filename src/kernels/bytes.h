#pragma once

#include <cstddef>
#include <cstdint>

namespace strata {

// Looking at many bytes at once; plain and fast, as `Kernels`.
struct ByteKernels {
  const char* name;

  // Writes where the next byte begins after each of 64 * words that is `one` or `other`, the first byte of all at `begin`, and returns
  // the end of what it wrote. It may write to eight places more.
  std::uint32_t* (*places_after)(const char* bytes, std::size_t words, char one, char other,
                                 std::uint32_t begin, std::uint32_t* to);

  // The place after the `count`th of these bytes, or the size where they are fewer; `count` becomes how many there are before it.
  std::size_t (*place_after)(const char* bytes, std::size_t size, char one, std::size_t& count);
};

const ByteKernels& reference_bytes();
const ByteKernels& simd_bytes();

}  // namespace strata
