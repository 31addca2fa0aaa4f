#!/usr/bin/env python3
"""Trial steps of the line search of More & Thuente, as scipy's port of MINPACK-2 (DCSRCH) takes them, on the six functions of their
paper (ACM TOMS 20, 1994) and with the constants of L-BFGS-B: intervals down to a tenth, steps of at most 1e10.

Run it with scipy to write line_searches.h beside it:   .venv/bin/python tests/reference/line_searches.py
"""

import math
import pathlib

from scipy.optimize._dcsrch import DCSRCH

FIRST_STEPS = (1e-3, 1e-1, 1e1, 1e3)


def rational(a):
    return -a / (a * a + 2), (a * a - 2) / (a * a + 2) ** 2


def quintic(a):
    b = a + 0.004
    return b**5 - 2 * b**4, 5 * b**4 - 8 * b**3


def waves(a):
    beta, count = 0.01, 39
    angle = count * math.pi / 2
    bend = 2 * (1 - beta) / (count * math.pi) * math.sin(angle * a)
    slope = (1 - beta) * math.cos(angle * a)
    if a <= 1 - beta:
        return 1 - a + bend, -1 + slope
    if a >= 1 + beta:
        return a - 1 + bend, 1 + slope
    return (a - 1) ** 2 / (2 * beta) + beta / 2 + bend, (a - 1) / beta + slope


def yanai(first, second):
    def gamma(beta):
        return math.sqrt(1 + beta * beta) - beta

    def function(a):
        left, right = math.hypot(1 - a, second), math.hypot(a, first)
        return gamma(first) * left + gamma(second) * right, gamma(first) * (a - 1) / left + gamma(second) * a / right

    return function


# Each with the two constants of the Wolfe conditions that the paper has for it.
FUNCTIONS = ((rational, 1e-3, 0.1), (quintic, 0.1, 0.1), (waves, 0.1, 0.1), (yanai(0.001, 0.001), 1e-3, 1e-3),
             (yanai(0.01, 0.001), 1e-3, 1e-3), (yanai(0.001, 0.01), 1e-3, 1e-3))


def trials(function, decrease, curvature, step):
    """Every point that is evaluated, as (step, value, slope), the start first; and whether the last one is accepted. DCSRCH
    ends an interval that is too narrow by looking at its best point again: that is no trial."""
    search = DCSRCH(None, None, decrease, curvature, 0.1, 0.0, 1e10)
    points = [(0.0, *function(0.0))]
    step, value, slope, task = search._iterate(step, *points[0][1:], b"START")
    while task[:2] == b"FG":
        points.append((step, *function(step)))
        step, value, slope, task = search._iterate(step, *points[-1][1:], task)
    accepted = task[:4] == b"CONV"
    return (points if accepted else points[:-1]), accepted


def main():
    lines = ["// Written by line_searches.py beside it, with scipy: trials of More & Thuente's line search as (step, value, slope).",
             "#pragma once", "", "#include <vector>", "", '#include "strata/solvers/wolfe.h"', "", "namespace strata::reference {", "",
             "struct LineTrials {", "  double decrease, curvature;", "  bool accepted;                  // the last trial; otherwise the interval ends with it",
             "  std::vector<LinePoint> points;  // the start, then every trial", "};", "", "// clang-format off",
             "inline const std::vector<LineTrials> more_thuente_trials{"]
    for function, decrease, curvature in FUNCTIONS:
        for first in FIRST_STEPS:
            points, accepted = trials(function, decrease, curvature, first)
            lines.append(f"    {{{decrease!r}, {curvature!r}, {str(accepted).lower()},")
            lines += ["     {" + ",\n      ".join("{" + ", ".join(repr(float(number)) for number in point) + "}" for point in points) + "}},"]
    lines += ["};", "// clang-format on", "", "}  // namespace strata::reference", ""]
    pathlib.Path(__file__).with_suffix(".h").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
