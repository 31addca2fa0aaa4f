#!/usr/bin/env python3
"""One allocation fails at every point of train, predict, evaluate and report: a sentence or no effect, never a crash.

allocations.py [--quick] [POINTS]: so many points for each command, evenly spread, and the last twenty, where a result is
put together and all is freed (all; --quick: 30); of the report of a trace the last 250, where its page is put together.
STRATA_PROGRAM is the program, STRATA_FAIL_MALLOC the library fail_malloc."""

import os
import sys

from attack import QUICK, Attack

SMALL = ["--hidden", "3", "--sweeps", "1", "--threads", "1", "--quiet"]


def main():
    numbers = [int(text) for text in sys.argv[1:] if text.isdigit()]
    points = numbers[0] if numbers else (30 if QUICK else 10**9)
    attack = Attack()
    attack.must("generate", "housing", "--rows", 30, "--out", "h.csv")
    attack.must("train", "h.csv", "--target", "price", *SMALL, "--model", "m", "--trace", "before.jsonl")
    train = ["train", "h.csv", "--target", "price", *SMALL, "--model", "m", "--checkpoint", "c", "--trace", "t", "--json"]
    for command in (train, ["predict", "m", "h.csv", "--out", "p.csv", "--threads", "1"], ["evaluate", "m", "h.csv"],
                    ["report", "before.jsonl", "--out", "run.html"], ["report", "m", "h.csv", "--out", "rows.html"]):
        what = " ".join(command[:2])
        preload = {"LD_PRELOAD": os.environ["STRATA_FAIL_MALLOC"]}
        count = attack.path("count")
        attack.run(*command, environment={**preload, "STRATA_FAIL_AFTER": "-1", "STRATA_FAIL_COUNT": str(count)})
        calls = int(count.read_text())
        last = 250 if "before.jsonl" in command else 20
        for point in sorted({*range(0, calls, max(1, calls // points)), *range(max(0, calls - last), calls)}):
            done = attack.run(*command, environment={**preload, "STRATA_FAIL_AFTER": str(point)})
            attack.check(f"{what}, allocation {point} of {calls}", done, {0, 1, 2})
            if command is train and attack.run("inspect", "m").returncode != 0:
                attack.fault(f"{what}, allocation {point}: the model is gone", done)
    attack.finish()


if __name__ == "__main__":
    main()
