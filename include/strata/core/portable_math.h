#pragma once

namespace strata {

// Functions made of +, -, *, / alone, which IEEE 754 defines to the last bit; those of the C library differ between
// platforms. For data generation and random numbers, not for speed. Relative error below 1e-15 near 1 ulp.
double portable_log(double x);  // x > 0, normal
double portable_sin(double x);  // |x| < 1e6

}  // namespace strata
