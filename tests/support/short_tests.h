#pragma once

#include <cstdlib>

namespace strata::testing_support {

// Under the sanitizers, where everything takes several times as long, what is repeated only to see more cases is repeated
// less (tests/CMakeLists.txt).
inline bool short_tests() { return std::getenv("STRATA_SHORT") != nullptr; }

}  // namespace strata::testing_support
