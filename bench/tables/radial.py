#!/usr/bin/env python3
"""One hidden layer of 50 neurons: radial or dense, on public tables, in equal processor time.

    .venv/bin/python bench/tables/radial.py build/release/apps/strata/strata [--seeds 1,2,3] [--seconds 3] [--table]

Every cell is one run of `strata train` on one thread, a fifth of the rows for testing, the best weights on 15 % of the others; `--json`
tells the objective and the error on the test rows. It becomes a line of bench/results/radial.jsonl; those that are there are not
run again. --table only prints.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile

import sets
from kept import Kept, commit

TABLES = {
    "california": ["raw/cal_housing.arff", "--target", "medianHouseValue"],
    "kin8nm": ["tabular/kin8nm.arff.gz", "--target", "y"],
    "ccpp": ["raw/Folds5x2_pp_sheet1.csv", "--target", "PE"],
    "bike": ["raw/hour.csv", "--target", "cnt", "--ignore", "instant,dteday,casual,registered"],
}
RUNS = [("rbf-decomposition", "gaussian"), ("rbf-decomposition", "multiquadric"), ("rbf-decomposition", "inverse_multiquadric"),
        ("rbf-decomposition", "sigmoid"), ("blgn", "gaussian"), ("blgn", "sigmoid")]


def run(program, name, method, activation, seed, seconds):
    file, *options = TABLES[name]
    with tempfile.TemporaryDirectory() as directory:
        command = [program, "train", sets.directory() / file, *options, "--method", method, "--hidden", "50", "--activation", activation,
                   "--test", "0.2", "--patience", "0", "--clock", "processor", "--time-limit", f"{seconds}s", "--threads", "1",
                   "--seed", seed, "--json", "--quiet", "--model", os.path.join(directory, "model")]
        told = json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout)
    return {"objective": told["objective"], "rmse": told["rmse"]["test"], "sweeps": told["sweeps"], "commit": commit()}


def print_table(lines, figure, digits):
    names = [name for name in TABLES if any(line["set"] == name for line in lines)]
    print("| method | activation | " + " | ".join(names) + " |\n|---|---|" + "---|" * len(names))
    for method, activation in RUNS:
        cells = []
        for name in names:
            found = [line[figure] for line in lines if (line["set"], line["method"], line["activation"]) == (name, method, activation)]
            cells.append(f"{mean(found):.{digits}g}" if found else "")
        print(f"| `{method}` | {activation} | " + " | ".join(cells) + " |")


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--seconds", type=float, default=3, help="of processor time, reading included")
    parser.add_argument("--table", action="store_true", help="only print the tables")
    told = parser.parse_args()
    kept = Kept("radial.jsonl", ("set", "method", "activation", "seed"))
    for seed in [] if told.table else map(int, told.seeds.split(",")):
        for name in TABLES:
            for method, activation in RUNS:
                if (name, method, activation, seed) not in kept.lines:
                    found = run(told.program, name, method, activation, seed, told.seconds)
                    kept.add({"set": name, "method": method, "activation": activation, "seed": seed, "seconds": told.seconds, **found})
    lines = list(kept.lines.values())
    print("objective, geometric mean of the starts\n")
    print_table(lines, "objective", 3)
    print("\nRMSE on test rows, geometric mean of the starts\n")
    print_table(lines, "rmse", 4)


if __name__ == "__main__":
    main()
