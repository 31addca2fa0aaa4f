// Which instruction sets Highway compiles the kernels for; included before any header of Highway.
// Vectors of unknown length (SVE, RVV) cannot be kept in arrays, which the tiles need: such CPUs use their fixed-length
// sets. SSSE3 beside SSE4, and the later variant of AVX-512, bring nothing here but compile time.
// STRATA_SKIPPED_TARGETS is set by builds under sanitizers.
#pragma once

#ifndef STRATA_SKIPPED_TARGETS
#define STRATA_SKIPPED_TARGETS 0
#endif
#define HWY_DISABLED_TARGETS                                                             \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_AVX3_DL | \
   STRATA_SKIPPED_TARGETS)
