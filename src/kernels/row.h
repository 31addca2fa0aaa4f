#pragma once

#include "strata/core/matrix.h"
#include "strata/kernels/activation.h"

namespace strata {

// out = g(w' in) of one sample, with the bits that the kernel for panels gives it: neurons side by side in vectors, where a
// panel would have seven of eight columns empty. w: fan_in x fan_out; `out` has room for fan_out numbers rounded up to whole
// cache lines.
void affine_row(Activation g, ConstMatrix w, const double* in, double* out);

}  // namespace strata
