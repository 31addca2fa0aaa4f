#!/usr/bin/env python3
"""How long block Gauss-Newton takes to the best objective of tuned Adam: six data sets, five networks, three starts.

    experiments/time_to_target.py adam RUNS [1x50 ...]   Adam, 10 s for each choice; 35 minutes of one core, can be resumed
    experiments/time_to_target.py blgn RUNS     the same starts, until Adam's lowest objective is reached, 30 s at most
    experiments/time_to_target.py blgn RUNS OPTIONS...    with options of strata train, such as --precision float64
    experiments/time_to_target.py table RUNS    the ratios as a Markdown table; RUNS may be a file of lines here
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


def adam_name(data, network, seed, rate, batch):
    return f"{data}_{network}_adam_{rate}_{batch}_{seed}"


def blgn_name(data, network, seed):
    return f"{data}_{network}_blgn_{seed}"


def read_lines(path):
    """What lines() wrote."""
    return {line["run"]: (line["seconds"], line["objective"]) for line in map(json.loads, path.read_text().splitlines())}


class Runs:
    """Seconds and objective at the end of every run, which are those of its lowest objective, by name."""

    def __init__(self, path):
        self.directory, self.ends = path, read_lines(path) if path.is_file() else {}

    def path(self, name):
        return self.directory / f"{name}.json"

    def end(self, name):
        """None: not run."""
        if name not in self.ends and not self.directory.is_file() and self.path(name).exists():
            self.ends[name] = tuple(json.loads(self.path(name).read_text())["curve"][-1])
        return self.ends.get(name)


def best_batch(runs, data, network):
    return min(BATCHES, key=lambda batch: runs.end(adam_name(data, network, SEEDS[0], RATES[1], batch))[1])


def best_choice(runs, data, network):
    """Adam's learning rate and batch."""
    batch = best_batch(runs, data, network)
    return min(RATES, key=lambda rate: runs.end(adam_name(data, network, SEEDS[0], rate, batch))[1]), batch


def adam_options(runs, data, network):
    """Those of strata train."""
    rate, batch = best_choice(runs, data, network)
    return ["--rate", rate, "--batch", batch, "--cosine", "--precision", "float32"]


def cells(networks=NETWORKS):
    return [(data, network) for network in networks for data in DATA]


def tuned(runs):
    """The cells whose choices have been compared."""
    def compared(data, network):
        if not all(runs.end(adam_name(data, network, SEEDS[0], RATES[1], batch)) for batch in BATCHES):
            return False
        batch = best_batch(runs, data, network)
        return all(runs.end(adam_name(data, network, SEEDS[0], rate, batch)) for rate in RATES)
    return [cell for cell in cells() if compared(*cell)]


def run_adam(runs, *networks):
    def one(data, network, seed, rate, batch):
        run(runs.path(adam_name(data, network, seed, rate, batch)), data, network, "adam", seed, "--rate", rate, "--batch", batch,
            "--cosine", "--precision", "float32", "--time-limit", str(ADAM_SECONDS))
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
            adam = runs.end(adam_name(data, network, seed, *best_choice(runs, data, network)))
            if adam:
                run(runs.path(blgn_name(data, network, seed)), data, network, "blgn", seed, "--time-limit", str(LIMIT),
                    "--objective-at-most", repr(adam[1]), *options)


def comparison(runs, data, network, seed):
    """Adam's lowest objective, its seconds to it, BLGN's (infinity: never), BLGN's lowest; None: not run. BLGN stops at the target."""
    adam = runs.end(adam_name(data, network, seed, *best_choice(runs, data, network)))
    blgn = runs.end(blgn_name(data, network, seed))
    if not adam or not blgn:
        return None
    return adam[1], adam[0], blgn[0] if blgn[1] <= adam[1] else math.inf, blgn[1]


def seconds_of(times):
    """The median, or how many never got there."""
    never = sum(map(math.isinf, times))
    return f"{statistics.median(times):.2f}" if not never else f"{never} of {len(times)} never"


def table(runs):
    print("\n".join(table_lines(runs)))


def table_lines(runs):
    found = ["| network | data | starts | learning rate, batch | target | adam, s | blgn, s | ratio |", "|---|---|---|---|---|---|---|---|"]
    ratios = []
    for data, network in tuned(runs):
        compared = [c for c in (comparison(runs, data, network, seed) for seed in SEEDS) if c]
        if not compared:
            continue
        target, adam, blgn, best = zip(*compared)
        ratio = statistics.median(a / min(b, LIMIT) for a, b in zip(adam, blgn))
        ratios.append(ratio)
        behind = max(b / t for b, t in zip(best, target))
        note = f" (at most {100 * (behind - 1):.0f} % above)" if behind > 1 else ""
        found.append(f"| {network} | {data} | {len(compared)} | {', '.join(best_choice(runs, data, network))} | {statistics.median(target):.2e} |"
                     f" {statistics.median(adam):.1f} | {seconds_of(blgn)}{note} | {ratio:.1f} |")
    if ratios:
        found += ["", f"Geometric mean over {len(ratios)} cells: {math.exp(statistics.fmean(map(math.log, ratios))):.1f}"
                      f" (runs that never got there counted with {LIMIT} s)"]
    return found


def lines(runs):
    for path in sorted(runs.directory.glob("*.json")):
        seconds, objective = runs.end(path.stem)
        print(json.dumps({"run": path.stem, "seconds": seconds, "objective": objective}))


def main():
    steps = {"adam": run_adam, "blgn": run_blgn, "table": table, "lines": lines}
    if len(sys.argv) < 3 or sys.argv[1] not in steps or (len(sys.argv) > 3 and sys.argv[1] in ("table", "lines")):
        sys.exit(__doc__)
    path = pathlib.Path(sys.argv[2])
    if not path.is_file():
        path.mkdir(parents=True, exist_ok=True)
    steps[sys.argv[1]](Runs(path), *sys.argv[3:])


if __name__ == "__main__":
    main()
