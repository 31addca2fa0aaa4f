#!/usr/bin/env python3
"""A model of what a sweep takes on many machines, fitted to the measurements in bench/results, and its predictions.

    python3 bench/distributed/cost_model.py

seconds of a sweep = rows c / (P K) + log2(P) (m a + B b), for P machines with K cores each, P a power of 2 up to 64.

c   seconds of a core for a row in a sweep, measured with both cores of the machine busy (compare_ranks).
m   trips of a sweep between two processes for which one waits, B the bytes sent (compare_ranks_over_link). The sums of an
    evaluation go up a tree and come down one, log2(P) steps each way, of which two processes make one. A message is one
    trip; above 64 KiB Open MPI asks first whether the receiver is ready, which makes three. The time and a wish to stop
    come from the first process along with the sums, and nobody waits for them.
    Of blgn trips are counted by the program, as its messages differ in length (compare_ranks); the same for every batch.
    Its c is that of lbfgs times the ratio of their processor times, alone, in turns.
a   seconds that a trip takes, b seconds for each byte: fitted to sums of several lengths over the link.
"""

import json
import math
import pathlib

RESULTS = pathlib.Path(__file__).resolve().parents[1] / "results"
MACHINES, ROWS, CORES = 64, 10**9, 16
FEATURES, HIDDEN, LAYER = 12, 5 * 50, 50 * 50


def trips(size):
    return 1 if size <= 65536 else 3


def trip_costs(link):
    """a and b of seconds = 2 (a trips + b bytes), one message up and one down, with the least relative squares."""
    rows = [(2 * trips(p["bytes"]) / p["seconds"], 2 * p["bytes"] / p["seconds"]) for p in link["messages"]]
    tt, tb, bb = (sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    t1, b1 = (sum(row[i] for row in rows) for i in (0, 1))
    determinant = tt * bb - tb * tb
    return (t1 * bb - b1 * tb) / determinant, (tt * b1 - tb * t1) / determinant


def trips_of_sweep(case, method):
    """Up and down for each evaluation; lbfgs sends all weights in one message, b2ld at most those of a layer."""
    size = 8 * (case["weights"] if method == "lbfgs" else LAYER)
    return 2 * case[method]["evaluations_per_sweep"] * trips(size)


def seconds_per_row(ranks, method):
    methods = ranks["scaling"]["methods"]
    return methods[method]["median"]["together"] * methods["ranks"] / methods["rows"]


def gauss_newton_cost(ranks):
    """c, trips and bytes of a sweep of blgn whose batches have grown to all rows."""
    seen = ranks["gauss_newton"]["median"]
    return (seconds_per_row(ranks, "lbfgs") * seen["over_lbfgs"], seen["trips_per_sweep"], seen["bytes_per_sweep"])


def predict(rows, machines, cores, c, trips_made, size, a, b):
    depth = math.ceil(math.log2(machines))
    return rows * c / (machines * cores), depth * (trips_made * a + size * b)


def main():
    ranks = json.loads((RESULTS / "compare_ranks.json").read_text())
    link = json.loads((RESULTS / "compare_ranks_over_link.json").read_text())
    a, b = trip_costs(link)
    print(f"a = {a * 1e3:.2f} ms a trip, b = {b * 1e9:.1f} ns a byte, fitted to sums over the link")

    print("\nA sweep on two processes over the link; the rule for m was found with these figures at hand")
    print("| rows | method | measured | model | messages, measured | messages, model |\n|---|---|---|---|---|---|")
    for case in link["cases"]:
        for method in ("b2ld", "lbfgs"):
            seen = case[method]
            work, talk = predict(case["rows"], 2, 1, seconds_per_row(ranks, method), trips_of_sweep(case, method),
                                 seen["bytes_per_sweep"], a, b)
            print(f"| {case['rows']} | `{method}` | {seen['seconds_per_sweep']:.2f} s | {work + talk:.2f} s | "
                  f"{seen['seconds_of_messages']:.2f} s | {talk:.2f} s |")

    print(f"\nPredicted, not measured: {ROWS:.0e} rows, machines of {CORES} such cores, the same link between any two")
    print("| machines | method | computing | messages | a sweep | times one machine |\n|---|---|---|---|---|---|")
    largest = link["cases"][-1]
    def of_method(method):
        sends = "lbfgs" if method == "lbfgs" else "b2ld"
        return seconds_per_row(ranks, method), trips_of_sweep(largest, sends), largest[sends]["bytes_per_sweep"]

    costs = {"b2ld": of_method("b2ld"), "b2ld, activations not kept": of_method("b2ld_uncached"), "lbfgs": of_method("lbfgs")}
    c, trips_made, size = gauss_newton_cost(ranks)
    for batches in (1, 100, 10_000):
        costs[f"blgn, batches of {ROWS // batches:.0e} rows"] = (c, trips_made * batches, size * batches)
    for name, cost in costs.items():
        alone = sum(predict(ROWS, 1, CORES, *cost, a, b))
        for machines in (1, 8, MACHINES):
            work, talk = predict(ROWS, machines, CORES, *cost, a, b)
            print(f"| {machines} | {name} | {work:.0f} s | {talk:.1f} s | {work + talk:.0f} s | {alone / (work + talk):.1f} |")

    numbers, each = FEATURES + 1, ROWS / MACHINES
    print(f"\nMemory of each of {MACHINES} machines: rows {2 * each * numbers * 8 / 1e9:.1f} GB (as given, and packed), "
          f"activations {each * HIDDEN * 8 / 1e9:.0f} GB where they are kept")


if __name__ == "__main__":
    main()
