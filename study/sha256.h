#pragma once

#include <string>
#include <string_view>

namespace strata {

// SHA-256 (FIPS 180-4) of some bytes, as 64 hexadecimal digits. For checking downloads, not for secrets.
std::string sha256(std::string_view bytes);

}  // namespace strata
