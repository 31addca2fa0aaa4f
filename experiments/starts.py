#!/usr/bin/env python3
"""What several starts say, from the records of `strata reproduce --study`.

    experiments/starts.py table RUNS STUDY.toml    medians over the starts, and from how many the network stays at the mean
    experiments/starts.py versus RUNS STUDY.toml   every variant against the first: wins, defeats, ratio of the objectives
    experiments/starts.py plot RUNS FILE.svg       R2 on test rows against depth (needs matplotlib: scripts/setup bench)

RUNS is a directory, or a file runs.jsonl.gz.
"""
import collections
import math
import statistics
import sys
import tomllib

from readings import WIN, print_table, records

STUCK = 0.01  # of the variance of the target: a network that explains less predicts the mean


def by_cell(path):
    """Runs by variant, network, data and method, each by its start."""
    found = collections.defaultdict(dict)
    for (variant, method), cells in records(path).items():
        for (network, data), runs in cells.items():
            found[variant, network, data, method] = {run["seed"]: run for run in runs}
    return found


def r2(run):
    value = run["r2"]["test"]
    return value if value is not None and math.isfinite(value) else -math.inf


def study_of(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def table(path, study_path):
    study, found = study_of(study_path), by_cell(path)
    methods = list(study["seconds"])
    rows = []
    for variant in study["variant"]:
        for network in study["networks"]:
            for data in study["datasets"]:
                cells = [found.get((variant["name"], network, data, method)) for method in methods]
                if any(cells):
                    rows.append([variant["name"], network, data, *(cell_text(cell) for cell in cells)])
    print_table(["start", "network", "data", *methods], rows)


def cell_text(starts):
    """Median of R2 and, where some are, how many of the starts stay at the mean."""
    if not starts:
        return "-"
    values = [r2(run) for run in starts.values()]
    stuck = sum(value < STUCK for value in values)
    return f"{statistics.median(values):.3f}" + (f" ({stuck} of {len(values)} stay)" if stuck else "")


def versus(path, study_path):
    study, found = study_of(study_path), by_cell(path)
    variants = [(variant["name"], method) for variant in study["variant"] for method in variant.get("methods", study["seconds"])]
    first_variant, first_method = variants[0]
    rows = []
    for network in study["networks"]:
        for data in study["datasets"]:
            first = found.get((first_variant, network, data, first_method), {})
            for variant, method in variants[1:]:
                other = found.get((variant, network, data, method), {})
                if starts := first.keys() & other.keys():
                    rows.append([network, data, variant, method, *compared([first[s] for s in starts], [other[s] for s in starts])])
    print_table(["network", "data", "variant", "method", f"wins : defeats against {first_variant}",
                 "ratio of the objectives, geometric mean", "median objective", f"of {first_variant}", "seconds", f"of {first_variant}"], rows)


def compared(first, other):
    pairs = [(b["objective"], a["objective"]) for a, b in zip(first, other)]
    wins = sum(b < (1 - WIN) * a for b, a in pairs)
    defeats = sum(a < (1 - WIN) * b for b, a in pairs)
    ratio = math.exp(statistics.fmean(math.log(b / a) for b, a in pairs))
    medians = [f"{statistics.median(values):.2e}" for values in zip(*pairs)]
    seconds = [f"{statistics.median(run['seconds'] for run in runs):.1f}" for runs in (other, first)]
    return [f"{wins} : {defeats} of {len(pairs)}", f"{ratio:.2f}", *medians, *seconds]


def depth_of(network):
    return int(network.split("x")[0])


def plot(path, file):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "strata"  # the same file from the same records
    from matplotlib import pyplot
    found = by_cell(path)
    variants = {"paper": "the paper's start", "fair": "Glorot's start, biases, standardised data"}
    data_sets = sorted({data for _, _, data, _ in found})
    methods = ["b2ld", "lbfgs", "bling", "ig", "adam", "blgn"]
    figure, panels = pyplot.subplots(len(data_sets), len(variants), figsize=(9, 3.2 * len(data_sets)), sharex=True, sharey="row",
                                     squeeze=False)
    for row, data in zip(panels, data_sets):
        for axes, (variant, title) in zip(row, variants.items()):
            for place, method in enumerate(methods):
                depths = sorted({depth_of(n) for v, n, d, m in found if (v, d, m) == (variant, data, method) and "x" in n})
                spreads = [sorted(max(0.0, r2(run)) for run in found[variant, f"{depth}x50", data, method].values())
                           for depth in depths]
                shifted = [depth * 1.03 ** (place - 2.5) for depth in depths]  # so that bars stand side by side
                middle = [statistics.median(values) for values in spreads]
                axes.errorbar(shifted, middle, [[m - v[0] for m, v in zip(middle, spreads)], [v[-1] - m for m, v in zip(middle, spreads)]],
                              label=method, marker="o", capsize=2, linewidth=2.2 if method == "blgn" else 1.2)
            axes.set(title=f"{data}: {title}", xscale="log", xlim=(0.8, 38), ylim=(-0.03, 1))
            axes.set_xticks(depths, [str(depth) for depth in depths])
            axes.minorticks_off()
            axes.grid(alpha=0.3)
        row[0].set_ylabel("R2 on test rows")
    for axes in panels[-1]:
        axes.set_xlabel("hidden layers of 50 neurons")
    panels[0][0].legend(ncol=2, fontsize=8)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None}, bbox_inches="tight")


if __name__ == "__main__":
    steps = {"table": table, "versus": versus, "plot": plot}
    if len(sys.argv) != 4 or sys.argv[1] not in steps:
        sys.exit(__doc__)
    steps[sys.argv[1]](*sys.argv[2:])
