#!/usr/bin/env python3
"""How long `blgn` takes to the training objective that tuned Adam has after 20 s: four tables of classes, three starts.

    .venv/bin/python bench/training/classes_to_target.py [--program build/mpi/apps/strata/strata] [--sets adult,magic]
    .venv/bin/python bench/training/classes_to_target.py --table    only print the table

The same network (three sigmoid layers of 50), all rows of the table, the same l2 and the same start for both; one thread, processor
seconds, so that other work on the machine does not enter. Adam has its learning rate on a cosine and may choose, by the objective on
the first start, its batch from three at the middle rate and then the rate from three; both compute in single precision. Measuring
the objective is charged to neither. Every run becomes a line of bench/results/classes_to_target.jsonl; runs that are there are
not repeated.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "tables"))
import sets  # noqa: E402
from kept import Kept  # noqa: E402

SETS = ["adult", "magic", "letter", "otto"]
RATES = ["1e-3", "3e-3", "1e-2"]
BATCHES = ["32", "128", "512"]
SEEDS = [1, 2, 3]
ADAM_SECONDS = 20
LIMIT = 60  # of blgn; a run that never gets there counts as if it had at the limit, which flatters it


def write_table(name, path):
    _, X, y = sets.load(name)
    X.columns = [f"x{k}" for k in range(X.shape[1])]
    X.assign(label=[f"class {label}" for label in y]).to_csv(path, index=False)


def train(program, path, seed, *options):
    """Seconds and lowest objective so far, after every epoch that improved it."""
    with tempfile.TemporaryDirectory() as directory:
        history = pathlib.Path(directory, "history")
        command = [program, "train", path, "--target", "label", "--validation", "none", "--members", "1", "--hidden", "50,50,50",
                   "--knots", "0", "--l2", "1e-5", "--seed", str(seed), "--threads", "1", "--clock", "processor", *options,
                   "--history", history, "--model", pathlib.Path(directory, "model"), "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr.splitlines()[-1]}")
        curve, best = [], math.inf
        for record in map(json.loads, history.read_text().splitlines()):
            if record["value"] is not None and record["value"] < best:
                best = record["value"]
                curve.append([round(record["seconds"], 4), best])
        return curve


class Runs:
    def __init__(self, program):
        self.program, self.kept = program, Kept("classes_to_target.jsonl", ("set", "method", "seed"))
        self.done = self.kept.lines

    def run(self, name, path, method, seed, *options):
        key = (name, method, seed)
        if key not in self.done:
            curve = train(self.program, path, seed, *options)
            run = self.kept.add({"set": name, "method": method, "seed": seed, "seconds": curve[-1][0], "objective": curve[-1][1]})
            print(name, method, seed, f"{run['objective']:.4g} after {run['seconds']:.2f} s", flush=True)
        return self.done[key]

    def adam(self, name, path, rate, batch, seed):
        return self.run(name, path, f"adam {rate} {batch}", seed, "--method", "adam", "--rate", rate, "--batch", batch, "--cosine",
                        "--precision", "float32", "--time-limit", str(ADAM_SECONDS))


def adam_choice(runs, name):
    """The method of the lowest objective on the first start."""
    tried = [run for run in runs.values() if run["set"] == name and run["method"] != "blgn" and run["seed"] == SEEDS[0]]
    return min(tried, key=lambda run: run["objective"])["method"]


def measure(runs, name, seed):
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, f"{name}.csv")
        write_table(name, path)
        if seed == SEEDS[0]:
            for batch in BATCHES:
                runs.adam(name, path, RATES[1], batch, seed)
            batch = adam_choice(runs.done, name).split()[2]
            for rate in RATES:
                runs.adam(name, path, rate, batch, seed)
        _, rate, batch = adam_choice(runs.done, name).split()
        target = runs.adam(name, path, rate, batch, seed)["objective"]
        runs.run(name, path, "blgn", seed, "--method", "blgn", "--all-rows-precision", "float32",
                 "--time-limit", str(LIMIT), "--objective-at-most", repr(target))


def print_table(runs):
    print("| data | starts | Adam: rate, batch | its objective | blgn, s | ratio |")
    print("|---|---|---|---|---|---|")
    means = []
    for name in SETS:
        if (name, "blgn", SEEDS[0]) not in runs:
            continue
        choice = adam_choice(runs, name)
        pairs = [(runs[name, choice, seed], runs[name, "blgn", seed]) for seed in SEEDS if (name, "blgn", seed) in runs]
        seconds = [blgn["seconds"] if blgn["objective"] <= adam["objective"] else LIMIT for adam, blgn in pairs]
        ratio = statistics.median(ADAM_SECONDS / s for s in seconds)
        means.append(ratio)
        never = sum(blgn["objective"] > adam["objective"] for adam, blgn in pairs)
        note = f" ({never} of {len(pairs)} never)" if never else ""
        objective = statistics.median(adam["objective"] for adam, _ in pairs)
        print(f"| {name} | {len(pairs)} | {', '.join(choice.split()[1:])} | {objective:.4f} | {statistics.median(seconds):.2f}{note} |"
              f" {ratio:.1f} |")
    if means:
        print(f"\nGeometric mean of {len(means)} tables: {math.exp(statistics.fmean(map(math.log, means))):.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=str(ROOT / "build/mpi/apps/strata/strata"))
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--table", action="store_true", help="only print the table")
    told = parser.parse_args()
    runs = Runs(told.program)
    if not told.table:
        for seed in SEEDS:
            for name in told.sets.split(","):
                measure(runs, name, seed)
    print_table(runs.done)


if __name__ == "__main__":
    main()
