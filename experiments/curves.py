#!/usr/bin/env python3
"""Objective against seconds for all methods on 5x50, two data sets: runs, then a picture for each.

    experiments/curves.py run RUNS TARGETS      15 s a method, one thread, processor seconds
    experiments/curves.py plot RUNS PICTURES    california.svg and mv.svg (needs matplotlib: scripts/setup bench)

TARGETS has Adam's comparisons of learning rates and batches: a directory of experiments/time_to_target.py, or its lines,
bench/results/time_to_target.jsonl.
"""
import json
import pathlib
import sys

import time_to_target
from records import run

DATA = ["california", "mv"]
NETWORK = "5x50"
METHODS = ["blgn", "adam", "bling", "ig", "sg", "adagrad", "svrg", "saga", "two-block", "b2ld", "bld", "lbfgs"]


def path_of(runs, data, method):
    return runs / f"{data}_{method}.json"


def run_all(runs, targets):
    for method in METHODS:
        for data in DATA:
            adam = time_to_target.adam_options(time_to_target.Runs(targets), data, NETWORK) if method == "adam" else []
            run(path_of(runs, data, method), data, NETWORK, method, 1, "--time-limit", "15", *adam)


def plot(runs, pictures):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "strata"  # the same file from the same records
    from matplotlib import pyplot
    for data in DATA:
        figure, axes = pyplot.subplots(figsize=(8, 5))
        for i, method in enumerate(METHODS):
            curve = json.loads(path_of(runs, data, method).read_text())["curve"]
            axes.plot([t for t, _ in curve], [value for _, value in curve], label=method,
                      linewidth=2.5 if method == "blgn" else 1.2, linestyle="-" if i < 10 else "--")
        axes.set(xscale="log", yscale="log", xlabel="seconds (one thread)", ylabel="training objective",
                 title=f"{data}, {NETWORK}: best objective so far")
        axes.set_ylim(top=0.1)  # above the mean predictor there is nothing to see
        axes.grid(alpha=0.3)
        axes.legend(ncol=2, fontsize=8)
        figure.savefig(pictures / f"{data}.svg", metadata={"Date": None}, bbox_inches="tight")


def main():
    arguments = [pathlib.Path(a) for a in sys.argv[2:]]
    steps = {"run": run_all, "plot": plot}
    if sys.argv[1:2] == [] or sys.argv[1] not in steps or len(arguments) != 2:
        sys.exit(__doc__)
    arguments[0].mkdir(parents=True, exist_ok=True)
    steps[sys.argv[1]](*arguments)


if __name__ == "__main__":
    main()
