#!/usr/bin/env python3
"""One allocation fails at every point of train, predict and evaluate: a sentence or no effect, never a crash.

allocations.py [--quick] [POINTS]: so many points for each command, evenly spread (all; --quick: 60).
STRATA_PROGRAM is the program, STRATA_FAIL_MALLOC the library fail_malloc."""

import os
import sys

from attack import QUICK, Attack

SMALL = ["--hidden", "3", "--sweeps", "1", "--threads", "1", "--quiet"]


def main():
    numbers = [int(text) for text in sys.argv[1:] if text.isdigit()]
    points = numbers[0] if numbers else (60 if QUICK else 10**9)
    attack = Attack()
    attack.must("generate", "housing", "--rows", 30, "--out", "h.csv")
    attack.must("train", "h.csv", "--target", "price", *SMALL, "--model", "m")
    train = ["train", "h.csv", "--target", "price", *SMALL, "--model", "m", "--checkpoint", "c", "--trace", "t", "--json"]
    for command in (train, ["predict", "m", "h.csv", "--out", "p.csv", "--threads", "1"], ["evaluate", "m", "h.csv"]):
        preload = {"LD_PRELOAD": os.environ["STRATA_FAIL_MALLOC"]}
        count = attack.path("count")
        attack.run(*command, environment={**preload, "STRATA_FAIL_COUNT": str(count)})
        calls = int(count.read_text())
        for point in range(0, calls, max(1, calls // points)):
            done = attack.run(*command, environment={**preload, "STRATA_FAIL_AFTER": str(point)})
            attack.check(f"{command[0]}, allocation {point} of {calls}", done, {0, 1, 2})
            if attack.run("inspect", "m").returncode != 0:
                attack.fault(f"{command[0]}, allocation {point}: the model is gone", done)
    attack.finish()


if __name__ == "__main__":
    main()
