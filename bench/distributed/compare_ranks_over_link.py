#!/usr/bin/env python3
"""b2ld against lbfgs on two processes that a slow link joins: bytes and time of a sweep.

    cmake --preset bench && cmake --build --preset bench
    sudo .venv/bin/python bench/distributed/compare_ranks_over_link.py [build/bench] [--delay 1e-3] [--rate 1e9]

Each process runs in a network namespace of its own (link.py); every message between them takes the delay, in seconds, and
its bits the rate, in bits per second. The same jobs run without the link, through shared memory, in turns. Prints and
writes bench/results/compare_ranks_over_link.json; figures are medians. Needs root, and two cores with nothing else on them.
"""

import argparse
import json
import os

from jobs import NETWORK, SWEEP, median_of, mpirun, program, write
from link import Link

FIGURES = ("seconds_per_sweep", "messages_per_sweep", "bytes_per_sweep", "evaluations_per_sweep")


def compare(link, ranks, rows, turns):
    over_link, in_memory = [], []
    for _ in range(turns):
        over_link.append(json.loads(link.mpirun(ranks, "methods", rows, 1, timeout=300)))
        in_memory.append(mpirun(2, ranks, "methods", rows, 1, timeout=300))
    result = {"rows": rows, "weights": over_link[0]["weights"]}
    for method in ("b2ld", "lbfgs"):
        result[method] = {figure: median_of(over_link, method, "median", figure) for figure in FIGURES}
        result[method]["seconds_in_memory"] = median_of(in_memory, method, "median", "seconds_per_sweep")
        result[method]["seconds_of_messages"] = result[method]["seconds_per_sweep"] - result[method]["seconds_in_memory"]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build/bench", help="build directory")
    parser.add_argument("--delay", type=float, default=1e-3)
    parser.add_argument("--rate", type=float, default=1e9)
    parser.add_argument("--turns", type=int, default=7)
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("compare_ranks_over_link: left out; network namespaces need root")
        return
    ranks = program(options.build)
    with Link(options.delay, options.rate) as link:
        result = {
            "network": NETWORK, "sweep": SWEEP, "delay": options.delay, "rate": options.rate,
            "messages": json.loads(link.mpirun(ranks, "messages", 100, timeout=300)),
            "cases": [compare(link, ranks, rows, options.turns) for rows in (10_000, 50_000)]}
    write("compare_ranks_over_link", result)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
