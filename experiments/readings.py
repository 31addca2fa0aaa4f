#!/usr/bin/env python3
"""How well readings of the paper agree with its tables.

    strata reproduce --study experiments/readings/batch.toml --data DIR --out batch --time-scale 0.05 --runs 1
    experiments/readings.py batch experiments/readings/batch.toml

reads the records (RUNS: a directory, or a file runs.jsonl.gz) and prints Markdown tables. A cell is a data set and a network;
half of the cells, like the white fields of a chessboard, choose a reading, the other half judge it. The score of a reading is
the mean of min(|ln(f / published f)|, ln 2) / ln 2 over the cells that were run: 0 is perfect, 1 is off by a factor of two
everywhere. f is the lowest over the starts, here and in the paper, which has ten. Readings of a method are scored on the cells that
all of them have.
"""
import collections
import csv
import gzip
import json
import math
import pathlib
import sys
import tomllib

DATA = ["ailerons", "beijing", "bike", "california", "ccpp", "mv"]
NETWORKS = ["1x50", "3x20", "200-50-200", "5x50", "10x50"]
PAPER = pathlib.Path(__file__).parent / "paper"
PAIRS = {"b2ld": "lbfgs", "bling": "ig"}  # who is compared with whom
WIN = 0.05  # a value lower by more than this fraction is a win, as the paper counts


def chooses(cell):
    network, data = cell
    return (DATA.index(data) + NETWORKS.index(network)) % 2 == 0


def records(path):
    """Runs by (variant, method) and cell, in the order of their starts."""
    path = pathlib.Path(path)
    path = path / "runs.jsonl" if path.is_dir() else path
    opened = gzip.open if path.suffix == ".gz" else open
    runs = collections.defaultdict(lambda: collections.defaultdict(list))
    with opened(path, "rt") as lines:
        for line in lines:
            run = json.loads(line)
            runs[run["variant"], run["method"]][run["network"], run["data"]].append(run)
    return runs


def published(number):
    with open(PAPER / f"table{number}.csv") as file:
        return [row for row in csv.DictReader(file) if row["dataset"] in DATA]


def objectives():
    """The published objective of a method in a cell."""
    found = {}
    for number, methods in ((2, ("b2ld", "lbfgs")), (6, ("bling", "ig"))):
        for row in published(number):
            for method in methods:
                found[method, (row["network"], row["dataset"])] = float(row[f"objective_{method}"])
    return found


def lowest(runs):
    return min(run["objective"] for run in runs)


def score(cells, method, paper):
    """The score, how many cells are within 10 %, and how many there are."""
    ratios = [abs(math.log(lowest(runs) / paper[method, cell])) for cell, runs in cells.items()]
    if not ratios:
        return math.nan, 0, 0
    return (sum(min(r, math.log(2)) for r in ratios) / math.log(2) / len(ratios), sum(r <= math.log(1.1) for r in ratios),
            len(ratios))


def halves(cells):
    return ({c: r for c, r in cells.items() if chooses(c)}, {c: r for c, r in cells.items() if not chooses(c)})


def sign(wins, defeats):
    return (wins > defeats) - (wins < defeats)


def winner(ours, others, figure):
    """Wins minus defeats over the starts that both have, as a sign."""
    pairs = [(figure(a), figure(b)) for a in ours for b in others if a["seed"] == b["seed"]]
    return sign(sum(a < (1 - WIN) * b for a, b in pairs), sum(b < (1 - WIN) * a for a, b in pairs))


def winners(method):
    """The published winner: by measure and cell."""
    tables = {"b2ld": ((3, "objective"), (4, "test")), "bling": ((7, None),)}[method]
    return {(measure or row["measure"], (row["network"], row["dataset"])): sign(int(row["wins"]), int(row["defeats"]))
            for number, measure in tables for row in published(number)}


def agreement(ours, others, method):
    """In how many of the cells of both the winner is the published one, and how many there are."""
    figures = {"objective": lambda run: run["objective"], "test": lambda run: run["test_mse"]}
    cells = [(measure, cell, sign_there) for (measure, cell), sign_there in winners(method).items()
             if cell in ours and cell in others]
    return sum(winner(ours[cell], others[cell], figures[measure]) == there for measure, cell, there in cells), len(cells)


def print_table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("| " + " | ".join("---" for _ in header) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def common_cells(runs, method):
    """Those that every reading of the method has."""
    return set.intersection(*(set(cells) for (_, other), cells in runs.items() if other == method))


def print_scores(runs, changes, paper):
    chosen = {}
    rows = []
    for (variant, method), all_cells in runs.items():
        common = common_cells(runs, method)
        cells = {cell: found for cell, found in all_cells.items() if cell in common}
        (a, within_a, count_a), (b, within_b, count_b) = (score(half, method, paper) for half in halves(cells))
        rows.append((method, a, [variant, changes[variant], method, f"{a:.2f}", f"{within_a} of {count_a}", f"{b:.2f}",
                                 f"{within_b} of {count_b}"]))
    rows.sort(key=lambda row: (row[0], row[1]))
    for method, _, row in rows:
        chosen.setdefault(method, row[0])
    print_table(["reading", "what it is", "method", "score, choosing cells", "within 10 %", "score, judging cells", "within 10 %"],
                [row for *_, row in rows])
    return chosen


def print_winners(runs, chosen):
    rows = []
    for method, other in PAIRS.items():
        for name, mine, theirs in (("presets", "presets", "presets"), ("chosen", chosen.get(method), chosen.get(other))):
            counts = [agreement(a, b, method) for a, b in zip(halves(runs[mine, method]), halves(runs[theirs, other]))]
            if sum(count for _, count in counts):
                rows.append([f"{method} against {other}", f"{name}: {mine}, {theirs}"] + [f"{n} of {of}" for n, of in counts])
    print_table(["methods", "readings", "winner as published, choosing cells", "judging cells"], rows)


def print_updates(runs):
    rows = []
    for row in published(5):
        data = row.pop("dataset")
        rows.append([data, "published", *row.values()])
        for (variant, method), cells in runs.items():
            if method == "b2ld" and cells.get(("10x50", data)):
                best = min(cells["10x50", data], key=lambda run: run["objective"])
                rows.append([data, variant, *map(str, best["updates_per_layer"])])
    if any(row[1] != "published" for row in rows):
        print_table(["data", "reading", *(f"layer {k}" for k in range(11))], rows)


def main(runs_path, study):
    runs = records(runs_path)
    with open(study, "rb") as file:
        changes = {variant["name"]: variant["changes"] for variant in tomllib.load(file)["variant"]}
    chosen = print_scores(runs, changes, objectives())
    print_winners(runs, chosen)
    print_updates(runs)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
