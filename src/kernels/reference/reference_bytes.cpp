#include "kernels/bytes.h"

namespace strata {

namespace {

std::uint32_t* places_after(const char* bytes, std::size_t words, char one, char other, std::uint32_t begin,
                            std::uint32_t* to) {
  for (std::size_t at = 0; at < 64 * words; ++at)
    if (bytes[at] == one || bytes[at] == other) *to++ = begin + static_cast<std::uint32_t>(at) + 1;
  return to;
}

std::size_t place_after(const char* bytes, std::size_t size, char one, std::size_t& count) {
  std::size_t found = 0;
  std::size_t at = 0;
  for (; at < size && found < count; ++at) found += bytes[at] == one ? 1 : 0;
  count = found;
  return at;
}

}  // namespace

const ByteKernels& reference_bytes() {
  static constexpr ByteKernels kernels{"reference", places_after, place_after};
  return kernels;
}

}  // namespace strata
