#!/usr/bin/env python3
"""Expected bits of the built-in tables, from the definitions alone: xoshiro256** (Blackman & Vigna) seeded by
splitmix64, 53-bit uniforms, Marsaglia's polar method, and sine and logarithm by series.

Written without looking at the program's output; where the standard library has the same function, the two are
compared here. Run it to write generators.h beside it:   python3 tests/reference/generators.py
"""

import math
import pathlib
import struct

MASK = (1 << 64) - 1


def splitmix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    z = x
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return x, z ^ (z >> 31)


def rotl(x, k):
    return ((x << k) | (x >> (64 - k))) & MASK


class Stream:
    def __init__(self, seed):
        self.s = []
        for _ in range(4):
            seed, word = splitmix64(seed)
            self.s.append(word)

    def split(self, label):
        _, mixed = splitmix64(label)
        for word in self.s:
            _, mixed = splitmix64(mixed ^ word)
        return Stream(mixed)

    def next(self):
        s = self.s
        result = (rotl((s[1] * 5) & MASK, 7) * 9) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
        return result

    def uniform(self):
        return (self.next() >> 11) * 2.0**-53

    def normal(self):
        while True:
            u = 2 * self.uniform() - 1
            v = 2 * self.uniform() - 1
            s = u * u + v * v
            if 0 < s < 1:
                return u * math.sqrt(-2 * log(s) / s)


def log(x):
    m, exponent = math.frexp(x)
    if m < math.sqrt(2) / 2:
        m, exponent = m * 2, exponent - 1
    t = (m - 1) / (m + 1)
    t2 = t * t
    total = 0.0
    for k in range(23, 1, -2):
        total = (total + 1.0 / k) * t2
    value = exponent * math.log(2) + 2 * t * (1 + total)
    assert abs(value - math.log(x)) <= 1e-15 * max(1.0, abs(value))
    return value


def sin(x):
    high, low = float.fromhex("0x1.921fb544p0"), float.fromhex("0x1.0b4611a626331p-34")
    k = round(x / (high + low))  # to the nearest, ties to even
    r = (x - k * high) - k * low
    r2 = r * r
    total = 0.0
    if k % 2 == 0:
        for n in range(19, 1, -2):
            total = -(total + 1) * r2 / (n * (n - 1))
        total = r * (1 + total)
    else:
        for n in range(20, 0, -2):
            total = -(total + 1) * r2 / (n * (n - 1))
        total = 1 + total
    value = -total if k % 4 >= 2 else total
    assert abs(value - math.sin(x)) <= 1e-15
    return value


def table(seed, rows, inputs, noise, target):
    xs, errors = Stream(seed).split(1), Stream(seed).split(2)
    result = []
    for _ in range(rows):
        x = [xs.uniform() for _ in range(inputs)]
        result.append(x + [target(x) + noise * errors.normal()])
    return result


def friedman1(x):
    bend = x[2] - 0.5
    return 10 * sin(math.pi * x[0] * x[1]) + 20 * (bend * bend) + 10 * x[3] + 5 * x[4]


def folded_staircase(folds):
    def target(x):
        t = (x[0] + x[1]) / 2
        for _ in range(folds):
            t = 1 - abs(2 * t - 1)
        return t if x[2] < 0.5 else math.floor(4 * t) / 4
    return target


def bits(value):
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016x}"


def array(name, rows):
    body = ",\n".join("    " + ", ".join(bits(v) for v in row) for row in rows)
    return (f"inline constexpr std::array<std::uint64_t, {len(rows) * len(rows[0])}> {name}{{\n{body}}};\n")


def main():
    text = ("// Written by generators.py beside it. Rows of x1, x2, ..., y, as the bits of doubles.\n#pragma once\n\n"
            "#include <array>\n#include <cstdint>\n\nnamespace strata::reference {\n\n"
            "// clang-format off\n"
            + array("friedman1_seed7_inputs6_noise1", table(7, 5, 6, 1.0, friedman1)) + "\n"
            + array("folded_staircase_seed3_inputs4_folds5_noise0", table(3, 6, 4, 0.0, folded_staircase(5)))
            + "// clang-format on\n\n}  // namespace strata::reference\n")
    (pathlib.Path(__file__).parent / "generators.h").write_text(text)


if __name__ == "__main__":
    main()
