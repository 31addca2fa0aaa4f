"""The table of compare_optimizers.py from the lines of bench/results/compare_optimizers.jsonl."""

import math
import statistics

from time_to_target import DATA, LIMIT, NETWORKS

METHODS = ["adam", "lbfgs", "soap", "muon", "lm"]
KEYS = ("data", "network", "method")


def chosen(lines, data, network):
    """The best run of every optimizer on this cell. lines: the last one of every key."""
    runs = {}
    for (d, n, name), line in lines.items():
        method = name.split()[0]
        if (d, n) == (data, network) and method != "blgn" and line["objective"] < runs.get(method, {"objective": math.inf})["objective"]:
            runs[method] = line
    return {method: runs[method] for method in METHODS if method in runs}


def cells(lines):
    return [(data, network) for network in NETWORKS for data in DATA if chosen(lines, data, network)]


def lines(kept):
    """A row for each cell, with the time in which `blgn` has each optimizer's objective, in seconds, and what an optimizer took over it."""
    rows, ratios = [], {}
    for data, network in cells(kept):
        blgn = kept.get((data, network, "blgn"), {"seconds": {}})["seconds"]
        for method, line in chosen(kept, data, network).items():
            if line["method"] not in blgn:
                continue
            seconds = blgn[line["method"]]
            ratio = line["seconds"] / (seconds or LIMIT)
            ratios.setdefault(method, []).append(ratio)
            rows.append(f"| {network} | {data} | {line['method']} | {line['objective']:.2e} | {line['seconds']:.1f} |"
                        f" {'never' if seconds is None else f'{seconds:.2f}'} | {ratio:.1f} |")
    found = ["| network | data | optimizer: rate, batch | its objective | its s | blgn, s | ratio |", "|---|---|---|---|---|---|---|", *rows, "",
             "| optimizer | cells | ratio, geometric mean | smallest |", "|---|---|---|---|"]
    return found + [f"| {method} | {len(values)} | {math.exp(statistics.fmean(map(math.log, values))):.1f} | {min(values):.1f} |"
                    for method, values in ratios.items()]
