#pragma once

#include "strata/core/matrix.h"
#include "strata/core/vector.h"

namespace strata {

// The inverse of a symmetric positive definite matrix. Large ones are inverted block by block, almost all of it by products on the
// panel kernels: several times as fast as a factorisation that is compiled for any CPU.
class SpdInverse {
 public:
  // out = (m + ridge I)^-1; out may have a stride of its own, and what is beyond its columns stays.
  void operator()(ConstMatrix m, double ridge, Matrix out);

 private:
  void border(ConstMatrix m, double ridge, std::size_t done, std::size_t more, Matrix out);

  Vector border_, product_, scaled_, corner_, corner_inverse_;
};

}  // namespace strata
