#!/usr/bin/env python3
"""kill -9 at random points of runs of every family of methods, resumed until they end: the bits of a run left alone.

kills.py [--quick] [KILLS [SEED]]: so many kills for each method (40; --quick: 3). STRATA_PROGRAM is the program."""

import random
import subprocess
import sys
import time

from attack import PROGRAM, QUICK, Attack

METHODS = {"blgn": 60, "adam": 600, "bling": 600, "b2ld": 40, "saga": 400}  # sweeps: a second or so


def kill_once(attack, arguments, moment):
    """True where the run was killed, False where it had ended before."""
    process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=attack.directory, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    try:
        _, errors = process.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    if process.returncode != 0:
        sys.exit(f"{arguments}: {errors.decode()}")
    return False


def main():
    numbers = [int(text) for text in sys.argv[1:] if text.isdigit()]
    kills = numbers[0] if numbers else (3 if QUICK else 40)
    chance = random.Random(numbers[1] if len(numbers) > 1 else 1)
    attack = Attack()
    attack.must("generate", "housing", "--rows", 300, "--out", "h.csv")
    for method in list(METHODS)[:3] if QUICK else METHODS:
        start = ["h.csv", "--target", "price", "--method", method, "--hidden", "8,8", "--sweeps", METHODS[method],
                 "--patience", 0, "--threads", 1, "--quiet"]
        begin = time.monotonic()
        attack.must("train", *start, "--model", "whole")
        seconds = time.monotonic() - begin
        expected = attack.must("predict", "whole", "h.csv").stdout
        done = 0
        while done < kills:
            for name in ("c", "m"):
                attack.path(name).unlink(missing_ok=True)
            arguments = ["train", *start, "--model", "m", "--checkpoint", "c", "--checkpoint-every", "0.01s"]
            # Ten kills at most for one run: on a busy machine it would otherwise hardly come to its end.
            for _ in range(min(10, kills - done)):
                if not kill_once(attack, arguments, chance.uniform(0, seconds)):
                    break
                done += 1
                if attack.path("c").exists():
                    arguments = ["train", "--resume", "c", "--model", "m", "--quiet"]
            attack.must(*arguments)
            attack.count(f"runs of {method} resumed")
            predicted = attack.run("predict", "m", "h.csv")
            if predicted.stdout != expected:
                attack.fault(f"{method}: other bits", predicted)
        attack.counts["kills"] = attack.counts.get("kills", 0) + done
    attack.finish()


if __name__ == "__main__":
    main()
