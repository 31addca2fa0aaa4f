#!/usr/bin/env python3
"""How long block Gauss-Newton takes to the best objective of tuned Adam: six data sets, five networks, three starts.

    experiments/time_to_target.py adam RUNS     Adam, 30 s for each learning rate; hours on one core, can be resumed
    experiments/time_to_target.py blgn RUNS     the same starts, until Adam's lowest objective is reached, 60 s at most
    experiments/time_to_target.py table RUNS    the ratios as a Markdown table

One thread each; seconds are the processor's, so that other work on the machine does not enter. Learning rates are
compared on the first start of a data set and network, the best goes on to the other starts. One JSON file per run in
RUNS; runs that are there are not repeated.
"""
import json
import math
import pathlib
import statistics
import sys

from records import run

DATA = ["ailerons", "beijing", "bike", "california", "ccpp", "mv"]
NETWORKS = ["1x50", "3x20", "200-50-200", "5x50", "10x50"]
RATES = ["1e-3", "3e-3", "1e-2"]
SEEDS = [1, 2, 3]


def adam_path(runs, data, network, seed, rate):
    return runs / f"{data}_{network}_adam_{rate}_{seed}.json"


def lowest(path):
    return json.loads(path.read_text())["curve"][-1][1]


def best_rate(runs, data, network):
    return min(RATES, key=lambda rate: lowest(adam_path(runs, data, network, SEEDS[0], rate)))


def cells():
    return [(data, network) for network in NETWORKS for data in DATA]


def tuned(runs):
    """The cells whose learning rates have been compared."""
    return [(data, network) for data, network in cells()
            if all(adam_path(runs, data, network, SEEDS[0], rate).exists() for rate in RATES)]


def run_adam(runs):
    options = ["--seconds", "30"]
    for data, network in cells():
        for rate in RATES:
            run(adam_path(runs, data, network, SEEDS[0], rate), data, network, "adam", SEEDS[0], "--rate", rate, *options)
    for seed in SEEDS[1:]:
        for data, network in cells():
            rate = best_rate(runs, data, network)
            run(adam_path(runs, data, network, seed, rate), data, network, "adam", seed, "--rate", rate, *options)


def run_blgn(runs):
    for seed in SEEDS:
        for data, network in tuned(runs):
            adam = adam_path(runs, data, network, seed, best_rate(runs, data, network))
            if adam.exists():
                run(runs / f"{data}_{network}_blgn_{seed}.json", data, network, "blgn", seed, "--seconds", "60",
                    "--target", repr(lowest(adam)))


def comparison(runs, data, network, seed):
    """Seconds of Adam to its lowest objective, seconds of BLGN to the same (infinity: never); None: not run."""
    adam = adam_path(runs, data, network, seed, best_rate(runs, data, network))
    blgn = runs / f"{data}_{network}_blgn_{seed}.json"
    if not adam.exists() or not blgn.exists():
        return None
    seconds, target = json.loads(adam.read_text())["curve"][-1]
    reached = [t for t, value in json.loads(blgn.read_text())["curve"] if value <= target]
    return seconds, reached[0] if reached else math.inf, target


def table(runs):
    print("| network | data | learning rate | target | adam, s | blgn, s | ratio |")
    print("|---|---|---|---|---|---|---|")
    ratios = []
    for data, network in tuned(runs):
        found = [c for c in (comparison(runs, data, network, seed) for seed in SEEDS) if c]
        if not found:
            continue
        adam, blgn, target = (statistics.median(column) for column in zip(*found))
        ratio = statistics.median(a / b for a, b, _ in found)
        ratios.append(ratio)
        note = "" if len(found) == len(SEEDS) else f" ({len(found)} starts)"
        reached = f"{blgn:.2f}" if math.isfinite(blgn) else "never"
        print(f"| {network} | {data} | {best_rate(runs, data, network)} | {target:.2e} | {adam:.1f} | {reached} |"
              f" {ratio:.1f}{note} |")
    if ratios and min(ratios) > 0:
        print(f"\nGeometric mean over {len(ratios)} cells: {math.exp(statistics.fmean(map(math.log, ratios))):.1f}")
    elif ratios:
        print(f"\n{ratios.count(0)} of {len(ratios)} cells never got there: no geometric mean")


def main():
    steps = {"adam": run_adam, "blgn": run_blgn, "table": table}
    if len(sys.argv) != 3 or sys.argv[1] not in steps:
        sys.exit(__doc__)
    runs = pathlib.Path(sys.argv[2])
    runs.mkdir(parents=True, exist_ok=True)
    steps[sys.argv[1]](runs)


if __name__ == "__main__":
    main()
