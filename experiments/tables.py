#!/usr/bin/env python3
"""The tables of the paper from records of runs, with the paper's figures beside ours, as Markdown.

    experiments/tables.py runs/batch.jsonl runs/minibatch.jsonl

A record is one line of JSON as examples/paper_run.cpp prints it; records of methods other than b2ld, lbfgs, bling
and ig are passed over. The paper's figures are in experiments/paper/, one file per table. A table is printed when
there are records for it.
"""

import csv
import json
import math
import pathlib
import sys

PAPER = pathlib.Path(__file__).resolve().parent / "paper"
NETWORKS = ["1x50", "3x20", "200-50-200", "5x50", "10x50"]
DATA = ["ailerons", "bank", "beijing", "bike", "california", "ccpp", "mv"]
BATCH, MINIBATCH = ("b2ld", "lbfgs"), ("bling", "ig")
TIE = 0.05  # a method beats the other if its value is better by more than this fraction
PAPER_RUNS = 10  # starting points behind every figure of the paper
NUMBERS = ("objective", "gradient_norm", "test_mse", "seconds")
NOTHING = "–"


class BadInput(Exception):
    """One sentence that names file and line."""


# --- Reading


def read_paper(name, directory=PAPER):
    """Rows of one of the paper's tables; what looks like a number is one."""
    path = directory / f"{name}.csv"
    rows = []
    for row in csv.DictReader(open_text(path)):
        if None in row or None in row.values():
            raise BadInput(f"{path}, line {len(rows) + 2}: the row does not have as many cells as the header")
        rows.append({key: as_number(cell) for key, cell in row.items()})
    if not rows:
        raise BadInput(f"{path}, line 1: the table has no rows")
    return rows


def as_number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def open_text(path):
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def read_records(paths):
    """Records of the four methods by (network, data, method, seed). A run that is there twice is refused."""
    records, found = {}, {}
    for path in map(pathlib.Path, paths):
        for line, text in enumerate(open_text(path), start=1):
            if not text.strip():
                continue
            where = f"{path}, line {line}"
            record = checked(text, where)
            if record["method"] not in BATCH + MINIBATCH:
                continue
            key = (record["network"], record["data"], record["method"], record["seed"])
            if key in found:
                raise BadInput(f"{where}: the run {' '.join(map(str, key))} is there already, in {found[key]}")
            records[key], found[key] = record, where
    return records


def checked(text, where):
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"{where}: not a JSON object: {error.msg} at column {error.colno}") from None
    if not isinstance(record, dict):
        raise BadInput(f"{where}: not a JSON object but {text.strip()[:40]}")
    for field in ("data", "network", "method", "reason"):
        if not isinstance(record.get(field), str):
            raise BadInput(f"{where}: the record needs the text field \"{field}\"")
    if type(record.get("seed")) is not int:
        raise BadInput(f"{where}: the record needs the whole number \"seed\"")
    for field in NUMBERS:
        record[field] = number(record, field, where)
    updates = record.get("updates_per_layer")
    if not isinstance(updates, list) or not updates or any(type(n) is not int for n in updates):
        raise BadInput(f"{where}: the record needs \"updates_per_layer\", a list of whole numbers")
    for field, known in (("network", NETWORKS), ("data", DATA)):
        if record[field] not in known:
            raise BadInput(f"{where}: \"{field}\" is \"{record[field]}\", which is not one of {', '.join(known)}")
    return record


def number(record, field, where):
    """A number; null stands for one that is not finite and is worse than any other."""
    value = record.get(field, "")
    if value is None:
        return math.inf
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadInput(f"{where}: the record needs the number \"{field}\"")
    return math.inf if math.isnan(value) else float(value)


# --- Comparing


def best(records, network, data, method):
    """The run with the lowest objective over the seeds, or None."""
    runs = [r for (n, d, m, _), r in records.items() if (n, d, m) == (network, data, method)]
    return min(runs, key=lambda r: r["objective"], default=None)


def wins_and_defeats(records, network, data, methods, field):
    """Wins, defeats and number of seeds of the first method against the second, over the seeds both have run."""
    wins = defeats = seeds = 0
    for (n, d, method, seed), ours in records.items():
        theirs = records.get((network, data, methods[1], seed))
        if (n, d, method) != (network, data, methods[0]) or theirs is None:
            continue
        seeds += 1
        wins += ours[field] < (1 - TIE) * theirs[field]
        defeats += theirs[field] < (1 - TIE) * ours[field]
    return wins, defeats, seeds


def cases(records, methods):
    """(network, data) of the records of these methods, in the paper's order."""
    there = {(n, d) for n, d, method, _ in records if method in methods}
    return [(n, d) for n in NETWORKS for d in DATA if (n, d) in there]


def find(paper, **wanted):
    return next((row for row in paper if all(row[key] == value for key, value in wanted.items())), {})


# --- Writing


def scientific(value):
    return NOTHING if value is None else "not finite" if math.isinf(value) else f"{value:.2e}"


def seconds(value):
    return NOTHING if value is None else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def ratio(ours, theirs):
    return NOTHING if ours is None or not theirs or math.isinf(ours) else f"{ours / theirs:.2f}"


def score(wins, defeats, runs):
    return f"{wins:.0f} : {defeats:.0f} of {runs}" if runs else NOTHING


def paper_score(row):
    return score(row["wins"], row["defeats"], PAPER_RUNS) if row else NOTHING


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def iterations(record):
    """Inner iterations of a batch run. L-BFGS on the whole network counts each of them for every layer."""
    updates = record["updates_per_layer"]
    return updates[0] if record["method"] == "lbfgs" else sum(updates)


def batch_best(records, paper):
    rows = []
    for network, data in cases(records, BATCH):
        published = find(paper, network=network, dataset=data)
        for method in BATCH:
            run = best(records, network, data, method)
            if run is None:
                continue
            rows.append([network, data, method,
                         scientific(run["objective"]), scientific(published.get(f"objective_{method}")),
                         scientific(run["gradient_norm"]), scientific(published.get(f"gradnorm_{method}")),
                         seconds(run["seconds"]), seconds(published.get(f"seconds_{method}")),
                         iterations(run), run["reason"]])
    return table(["network", "data", "method", "objective", "paper", "gradient norm", "paper", "seconds", "paper",
                  "iterations", "stopped by"], rows)


def batch_wins(records, paper):
    rows = [[network, data, score(*wins_and_defeats(records, network, data, BATCH, "objective")),
             paper_score(find(paper, network=network, dataset=data))]
            for network, data in cases(records, BATCH)]
    return table(["network", "data", "wins : defeats", "paper"], rows)


def layer_updates(records, paper):
    """Updates per layer of the best b2ld run on 10x50; None where there is no such run."""
    rows, layers = [], [key for key in paper[0] if key.startswith("layer")]
    for network, data in cases(records, ("b2ld",)):
        if network != "10x50":
            continue
        run = best(records, network, data, "b2ld")
        published = find(paper, dataset=data)
        rows.append([data, f"seed {run['seed']}", *run["updates_per_layer"]])
        rows.append(["", "paper", *(f"{published[layer]:.0f}" for layer in layers)])
    return table(["data", "run", *(layer.removeprefix("layer") for layer in layers)], rows) if rows else None


def minibatch_best(records, paper):
    rows = []
    for network, data in cases(records, MINIBATCH):
        published = find(paper, network=network, dataset=data)
        for method in MINIBATCH:
            run = best(records, network, data, method)
            if run is None:
                continue
            row = [network, data, method]
            for field, column in (("objective", "objective"), ("test_mse", "test")):
                theirs = published.get(f"{column}_{method}")
                row += [scientific(run[field]), scientific(theirs), ratio(run[field], theirs)]
            rows.append([*row, run.get("sweeps", NOTHING), seconds(run["seconds"])])
    return table(["network", "data", "method", "objective", "paper", "ratio", "test error", "paper", "ratio",
                  "epochs", "seconds"], rows)


def minibatch_wins(records, paper):
    rows = []
    for network, data in cases(records, MINIBATCH):
        row = [network, data]
        for field, measure in (("objective", "objective"), ("test_mse", "test")):
            row += [score(*wins_and_defeats(records, network, data, MINIBATCH, field)),
                    paper_score(find(paper, measure=measure, network=network, dataset=data))]
        rows.append(row)
    return table(["network", "data", "objective, wins : defeats", "paper", "test error, wins : defeats", "paper"], rows)


def report(records, directory=PAPER):
    methods = {method for _, _, method, _ in records}
    if not methods:
        raise BadInput("there is no record of b2ld, lbfgs, bling or ig in the files")
    paper = {name: read_paper(name, directory) for name in ("table2", "table3", "table5", "table6", "table7")}
    parts = []
    if methods & set(BATCH):
        parts += ["### Best run of b2ld and of lbfgs (Table 2)", batch_best(records, paper["table2"]),
                  "### b2ld against lbfgs, objective (Table 3)", batch_wins(records, paper["table3"])]
        updates = layer_updates(records, paper["table5"])
        if updates:
            parts += ["### Updates per layer, best run of b2ld on 10x50 (Table 5)", updates]
    if methods & set(MINIBATCH):
        parts += ["### Best run of bling and of ig (Table 6)", minibatch_best(records, paper["table6"]),
                  "### bling against ig (Table 7)", minibatch_wins(records, paper["table7"])]
    return "\n\n".join(parts) + "\n"


def main(arguments):
    if len(arguments) < 2:
        print("usage: experiments/tables.py RECORDS.jsonl...", file=sys.stderr)
        return 2
    try:
        print(report(read_records(arguments[1:])), end="")
    except BadInput as error:
        print(f"tables.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
