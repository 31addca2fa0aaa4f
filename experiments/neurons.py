#!/usr/bin/env python3
"""What blocks of neurons cost, against blocks of layers: the work for one update of every weight, and the objective in equal time.

    experiments/neurons.py RUNS [SECONDS [DATA ...]]   one JSON file per run in RUNS; runs that are there are not repeated

One thread, the paper's protocol, SECONDS processor seconds for a run (5) on the sets DATA (ccpp). An update is an iteration of L-BFGS,
or the exact solution of the output layer; it moves the weights of its block. Work is in passes of all rows through a layer, forward,
backward or for weight gradients; a part of a layer counts as its share. Both are divided by how often the run has moved every
weight, on average: (sum over layers of updates x weights in a block) / weights.
"""
import pathlib
import sys

from records import HIDDEN, run

NETWORKS = ["1x50", "3x20", "5x50", "10x50"]
METHODS = {"b2ld": ("b2ld", None), "neuron-wise": ("neuron-wise", 1), "neuron-wise, group 10": ("neuron-wise", 10)}


def updates_of_every_weight(record, group):
    """How often the run has moved every weight, on average."""
    widths = [int(width) for width in HIDDEN[record["hidden"]].split(",")] + [1]
    fan_in = [int(record["network"].split("-")[0]) + 1] + widths[:-1]  # the protocol has one constant input and no other bias
    moved = sum(updates * inputs * (min(group, width) if group and layer + 1 < len(widths) else width)
                for layer, (updates, inputs, width) in enumerate(zip(record["updates_per_layer"], fan_in, widths)))
    return moved / record["n"]


def row(runs, data, network, name, seconds):
    method, group = METHODS[name]
    options = ["--time-limit", seconds] + (["--group", str(group)] if group else [])
    record = run(runs / f"{data}_{network}_{method}_{group or ''}.json", data, network, method, 1, *options)
    record["hidden"] = network
    work = record["work"]
    passes = (work["forward"] + work["backward"] + work["weight_gradient"]) / record["rows"]["train"]
    updates = updates_of_every_weight(record, group)
    return passes / updates, record["seconds"] / updates, record["objective"]


def main(runs, seconds="5", *sets):
    runs.mkdir(parents=True, exist_ok=True)
    lines = ["| data | network | method | layer passes | x b2ld | processor seconds | x b2ld | objective |",
             "|---|---|---|---|---|---|---|---|"]
    for data in sets or ["ccpp"]:
        for network in NETWORKS:
            first = row(runs, data, network, "b2ld", seconds)
            for name in METHODS:
                passes, time, objective = row(runs, data, network, name, seconds)
                lines.append(f"| {data} | {network} | {name} | {passes:.3g} | {passes / first[0]:.2g} | {time:.2g} | "
                             f"{time / first[1]:.2g} | {objective:.2e} |")
    print("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), *sys.argv[2:])
