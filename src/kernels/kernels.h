#pragma once

#include "strata/core/matrix.h"
#include "strata/kernels/activation.h"

namespace strata {

// A panel holds some samples feature by feature: row = feature, column = sample, samples contiguous. Columns are
// padded to a multiple of `panel_quantum`; kernels compute the padding too, and callers keep it harmless (zero input,
// zero delta). Nothing here knows what a network is.
inline constexpr std::size_t panel_quantum =
    8;  // samples: one cache line, a whole number of vectors everywhere

// The operations behind training, as one table so that plain and fast versions can be exchanged.
// w: fan_in x fan_out.
struct Kernels {
  const char* name;

  // out = g(w' in);  slope = g'(w' in) when the activation stores it (otherwise ignored).
  void (*affine)(Activation g, ConstMatrix w, ConstMatrix in, Matrix out, Matrix slope);

  // out = (w delta) * g'(a), for the first out.rows() inputs of the layer; z = g(a) and slope are those of these
  // inputs. A bias row of w, standing last, has no delta and is left out by the caller's choice of out.
  void (*backward)(Activation g, ConstMatrix w, ConstMatrix delta, ConstMatrix z, ConstMatrix slope,
                   Matrix out);

  // gradient += in delta'   (fan_in x fan_out; sums over samples)
  void (*weight_gradient)(ConstMatrix in, ConstMatrix delta, Matrix gradient);
};

// Plain loops: the definition of right.
const Kernels& reference_kernels();

// Highway, for the best instruction set of the CPU the program runs on.
const Kernels& simd_kernels();

}  // namespace strata
