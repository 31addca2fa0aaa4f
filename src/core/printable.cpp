#include "strata/core/printable.h"

namespace strata {

namespace {

bool is_control(unsigned char c) { return c < 0x20U || c == 0x7fU; }

// U+0080 to U+009F are control characters too; UTF-8 writes them as these two bytes.
bool is_long_control(std::string_view text, std::size_t at) {
  return text[at] == '\xc2' && at + 1 < text.size() &&
         (static_cast<unsigned char>(text[at + 1]) & 0xe0U) == 0x80U;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool two = is_long_control(text, at);
    result += two || is_control(static_cast<unsigned char>(text[at])) ? '.' : text[at];
    if (two) ++at;
  }
  return result;
}

}  // namespace strata
