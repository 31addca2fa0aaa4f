// Written by generators.py beside it. Rows of x1, x2, ..., y, as the bits of doubles.
#pragma once

#include <array>
#include <cstdint>

namespace strata::reference {

// clang-format off
inline constexpr std::array<std::uint64_t, 35> friedman1_seed7_inputs6_noise1{
    0x3fdf165ab5146516, 0x3fdff24871245536, 0x3fcd89f129ea1e74, 0x3feb9155de54a8ac, 0x3fd244ead17ddc2e, 0x3fd4b0d4bad29b10, 0x40326220e70415d2,
    0x3f3f1470b50ac800, 0x3fea5fb14c991b7f, 0x3fda2775eb498f34, 0x3fe3654a5a8863de, 0x3fe4b91375de036f, 0x3fe6a629865f4329, 0x40231000bf31c0c3,
    0x3fd172c8a7996f06, 0x3fe52e5549d91457, 0x3fd364692bc3a700, 0x3fe26c5c7ae64fcd, 0x3fb5a035e5af8918, 0x3fdd8765a4c5abe8, 0x4028833111006d40,
    0x3fe348b3523dd650, 0x3fecab27a1b758c3, 0x3fd504f76d835dd0, 0x3fd00ec9266e424e, 0x3fe5eb22f9ae43fb, 0x3fd79a28c6f5c4d6, 0x40320a0e5647ff47,
    0x3feea4b6c19266eb, 0x3fec1a67b7fa9369, 0x3fb66dde767651a8, 0x3fbb098775dce930, 0x3fd29b3dd9eff9f4, 0x3fdc47e85cc42d06, 0x4026b1acaa95ac81};

inline constexpr std::array<std::uint64_t, 30> folded_staircase_seed3_inputs4_folds5_noise0{
    0x3fe32d4a2a2319e7, 0x3fdfd4b77ce7c7e6, 0x3fe07b7a95ad582b, 0x3fc54266dc46ef9c, 0x3fd0000000000000,
    0x3fddedbae12e1860, 0x3fec87718d641ca7, 0x3fd8efc9a56dc114, 0x3fce3543cb51758c, 0x3fd03620409ae500,
    0x3fd9fd21764cbdcc, 0x3fc4e7f7dbc03ce4, 0x3fea2571829db392, 0x3fe40fd977fe2a6f, 0x3fe8000000000000,
    0x3fecb4b189ce590a, 0x3f99f24fddcd7b80, 0x3fc22ddd199f6f90, 0x3fe3cf34155448df, 0x3fe844408bcc4e60,
    0x3fe5555dd75ac0b3, 0x3f80681bf07cb3c0, 0x3fef695e7651759a, 0x3fecd0435e81d61f, 0x3fe8000000000000,
    0x3fcb86cf5a0f0b28, 0x3fe399255c4b62e7, 0x3fc3844c4aa5c1f8, 0x3fe2d3df2c9d81a2, 0x3fe8526cd30da4f0};
// clang-format on

}  // namespace strata::reference
