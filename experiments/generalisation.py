#!/usr/bin/env python3
"""Test errors of block Gauss-Newton and of Adam on 5x50: 15 % of the training rows held out, 30 s, best epoch on them.

    experiments/generalisation.py run RUNS TARGETS   each method with five values of l2; about an hour
    experiments/generalisation.py table RUNS         the l2 with the lowest held-out error, as a Markdown table

TARGETS has Adam's comparisons of learning rates and batches: a directory of experiments/time_to_target.py, or its lines,
bench/results/time_to_target.jsonl. Values of l2 are compared on the first start, the best goes on to the others. Minibatches of both
in single precision, as strata train has them with validation rows. One thread, processor seconds, one JSON file per run in RUNS; runs
that are there are not repeated.
"""
import json
import pathlib
import statistics
import sys

import time_to_target
from records import run

DATA = time_to_target.DATA
NETWORK = "5x50"
L2 = ["protocol", "1e-8", "1e-7", "1e-6", "1e-5"]
METHODS = ["blgn", "adam"]
SEEDS = [1, 2, 3]


def path_of(runs, data, method, l2, seed):
    return runs / f"{data}_{method}_{l2}_{seed}.json"


def options_of(method, l2, adam):
    options = ["--time-limit", "30", "--validation", "0.15"]
    if method == "adam":
        options += [*adam, "--patience", "0"]
    else:  # Adam's decay is made for the 30 s; a method without a schedule may end when it learns no more
        options += ["--patience", "40"]
    return options + (["--l2", l2] if l2 != "protocol" else [])


def run_all(runs, targets):
    for seed in SEEDS:
        for method in METHODS:
            for data in DATA:
                adam = time_to_target.adam_options(targets, data, NETWORK) if method == "adam" else []
                values = L2 if seed == SEEDS[0] else [best_l2(runs, data, method)]
                for l2 in values:
                    run(path_of(runs, data, method, l2, seed), data, NETWORK, method, seed, *options_of(method, l2, adam))


def best_l2(runs, data, method):
    """That with the lowest held-out error on the first start."""
    return min(L2, key=lambda l2: json.loads(path_of(runs, data, method, l2, SEEDS[0]).read_text())["validation_mse"])


def chosen(runs, data, method, seed):
    """The best l2 and its run; None where it has not been run."""
    if not all(path_of(runs, data, method, l2, SEEDS[0]).exists() for l2 in L2):
        return None
    l2 = best_l2(runs, data, method)
    path = path_of(runs, data, method, l2, seed)
    return (l2, json.loads(path.read_text())) if path.exists() else None


def median_of(found, key):
    return statistics.median(record[key] for _, record in found)


def cells_of(found):
    values = "/".join(sorted({l2 for l2, _ in found}))
    return f"{median_of(found, 'test_mse'):.2e} | {values} | {median_of(found, 'seconds_at_best'):.1f}"


def table(runs):
    print("| data | starts | blgn, test error | l2 | s | adam, test error | l2 | s |")
    print("|---|---|---|---|---|---|---|---|")
    better = 0
    for data in DATA:
        seeds = [s for s in SEEDS if all(chosen(runs, data, method, s) for method in METHODS)]
        if not seeds:
            continue
        blgn, adam = ([chosen(runs, data, method, s) for s in seeds] for method in METHODS)
        better += median_of(blgn, "test_mse") <= median_of(adam, "test_mse")
        print(f"| {data} | {len(seeds)} | {cells_of(blgn)} | {cells_of(adam)} |")
    print(f"\n`blgn` has at most the error of `adam` on {better} data sets")


def main():
    arguments = [pathlib.Path(a) for a in sys.argv[2:]]
    if sys.argv[1:2] == ["run"] and len(arguments) == 2:
        arguments[0].mkdir(parents=True, exist_ok=True)
        run_all(arguments[0], time_to_target.Runs(arguments[1]))
    elif sys.argv[1:2] == ["table"] and len(arguments) == 1:
        table(*arguments)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
