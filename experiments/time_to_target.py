#!/usr/bin/env python3
"""How long block Gauss-Newton takes to the best objective of tuned Adam: six data sets, five networks, three starts.

    experiments/time_to_target.py adam RUNS [1x50 ...]   Adam, 10 s for each choice; 35 minutes of one core, can be resumed
    experiments/time_to_target.py blgn RUNS     the same starts, until Adam's lowest objective is reached, 30 s at most
    experiments/time_to_target.py blgn RUNS OPTIONS...    with options of strata train, such as --precision float64
    experiments/time_to_target.py table RUNS    the ratios as a Markdown table
    experiments/time_to_target.py lines RUNS    the runs, a line of JSON each; those of docs/performance.md are in bench/results

One thread each; seconds are the processor's, so that other work on the machine does not enter. Adam computes in single precision, as
blgn does on minibatches. Its batches are compared at the middle learning rate on the first start of a data set and network, then its
learning rates with the best batch; the best choice goes on to the other starts. One JSON file per run in RUNS; runs that are there are
not repeated, so that two commands can share the networks between them.
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
BATCHES = ["32", "128", "512"]
SEEDS = [1, 2, 3]
ADAM_SECONDS = 10
LIMIT = 30  # seconds of BLGN; a run that never gets there counts as if it had at the limit, which flatters it


def adam_path(runs, data, network, seed, rate, batch):
    return runs / f"{data}_{network}_adam_{rate}_{batch}_{seed}.json"


def lowest(path):
    return json.loads(path.read_text())["curve"][-1][1]


def best_batch(runs, data, network):
    return min(BATCHES, key=lambda batch: lowest(adam_path(runs, data, network, SEEDS[0], RATES[1], batch)))


def best_choice(runs, data, network):
    """Adam's learning rate and batch."""
    batch = best_batch(runs, data, network)
    return min(RATES, key=lambda rate: lowest(adam_path(runs, data, network, SEEDS[0], rate, batch))), batch


def adam_options(runs, data, network):
    """Those of strata train."""
    rate, batch = best_choice(runs, data, network)
    return ["--rate", rate, "--batch", batch, "--cosine", "--precision", "float32"]


def cells(networks=NETWORKS):
    return [(data, network) for network in networks for data in DATA]


def tuned(runs):
    """The cells whose choices have been compared."""
    def compared(data, network):
        paths = [adam_path(runs, data, network, SEEDS[0], RATES[1], batch) for batch in BATCHES]
        if not all(path.exists() for path in paths):
            return False
        batch = best_batch(runs, data, network)
        return all(adam_path(runs, data, network, SEEDS[0], rate, batch).exists() for rate in RATES)
    return [cell for cell in cells() if compared(*cell)]


def run_adam(runs, *networks):
    def one(data, network, seed, rate, batch):
        run(adam_path(runs, data, network, seed, rate, batch), data, network, "adam", seed, "--rate", rate, "--batch", batch, "--cosine",
            "--precision", "float32", "--time-limit", str(ADAM_SECONDS))
    for data, network in cells(networks or NETWORKS):
        for batch in BATCHES:
            one(data, network, SEEDS[0], RATES[1], batch)
        for rate in RATES:
            one(data, network, SEEDS[0], rate, best_batch(runs, data, network))
    for seed in SEEDS[1:]:
        for data, network in cells(networks or NETWORKS):
            one(data, network, seed, *best_choice(runs, data, network))


def run_blgn(runs, *options):
    for seed in SEEDS:
        for data, network in tuned(runs):
            adam = adam_path(runs, data, network, seed, *best_choice(runs, data, network))
            if adam.exists():
                run(runs / f"{data}_{network}_blgn_{seed}.json", data, network, "blgn", seed, "--time-limit", str(LIMIT),
                    "--objective-at-most", repr(lowest(adam)), *options)


def comparison(runs, data, network, seed):
    """Adam's lowest objective, its seconds to it, BLGN's (infinity: never), BLGN's lowest; None: not run."""
    adam = adam_path(runs, data, network, seed, *best_choice(runs, data, network))
    blgn = runs / f"{data}_{network}_blgn_{seed}.json"
    if not adam.exists() or not blgn.exists():
        return None
    seconds, target = json.loads(adam.read_text())["curve"][-1]
    curve = json.loads(blgn.read_text())["curve"]
    reached = [t for t, value in curve if value <= target]
    return target, seconds, reached[0] if reached else math.inf, curve[-1][1]


def seconds_of(times):
    """The median, or how many never got there."""
    never = sum(map(math.isinf, times))
    return f"{statistics.median(times):.2f}" if not never else f"{never} of {len(times)} never"


def table(runs):
    print("| network | data | starts | learning rate, batch | target | adam, s | blgn, s | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    ratios = []
    for data, network in tuned(runs):
        found = [c for c in (comparison(runs, data, network, seed) for seed in SEEDS) if c]
        if not found:
            continue
        target, adam, blgn, best = zip(*found)
        ratio = statistics.median(a / min(b, LIMIT) for a, b in zip(adam, blgn))
        ratios.append(ratio)
        behind = max(b / t for b, t in zip(best, target))
        note = f" (at most {100 * (behind - 1):.0f} % above)" if behind > 1 else ""
        print(f"| {network} | {data} | {len(found)} | {', '.join(best_choice(runs, data, network))} | {statistics.median(target):.2e} |"
              f" {statistics.median(adam):.1f} | {seconds_of(blgn)}{note} | {ratio:.1f} |")
    if ratios:
        print(f"\nGeometric mean over {len(ratios)} cells: {math.exp(statistics.fmean(map(math.log, ratios))):.1f}"
              f" (runs that never got there counted with {LIMIT} s)")


def lines(runs):
    for path in sorted(runs.glob("*.json")):
        seconds, objective = json.loads(path.read_text())["curve"][-1]
        print(json.dumps({"run": path.stem, "seconds": seconds, "objective": objective}))


def main():
    steps = {"adam": run_adam, "blgn": run_blgn, "table": table, "lines": lines}
    if len(sys.argv) < 3 or sys.argv[1] not in steps or (len(sys.argv) > 3 and sys.argv[1] in ("table", "lines")):
        sys.exit(__doc__)
    runs = pathlib.Path(sys.argv[2])
    runs.mkdir(parents=True, exist_ok=True)
    steps[sys.argv[1]](runs, *sys.argv[3:])


if __name__ == "__main__":
    main()
