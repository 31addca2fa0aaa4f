#!/usr/bin/env python3
"""Two processes against one on the same rows, two threads for comparison, and what MPI costs a process that is alone.

    scripts/setup bench
    cmake --preset bench && cmake --build --preset bench
    .venv/bin/python bench/distributed/compare_ranks.py [build/bench] [--rows 500000] [--rounds 7]

Needs two cores with nothing else on them. Prints and writes bench/results/compare_ranks.json.

scaling     One MPI job of two processes with one thread each. In turns: the first computes alone on all rows, with one
            thread, while the other sleeps; both compute together, half of the rows each; the first computes alone with two
            threads. "speed_up" is the median over rounds of the wall-clock time alone over that together. full: f and
            gradient of all layers; layer: of one layer in the middle, its input cached; b2ld, lbfgs: a sweep, on a fifth
            of the rows. b2ld_uncached: without memory for the activations.
gauss_newton  A sweep of blgn whose batches are all rows, on a tenth of the rows: its processor time over that of lbfgs, the first
            process alone, in turns; messages, bytes and trips (cost_model.py) of both processes together.
overhead    Full evaluations in the processor time of one process. inside: through an MPI communicator of size 1 over
            single_process(), in turns inside one process. started: a process under mpirun over one that never starts MPI,
            best times of several processes that take turns.
messages    A sum over the two processes without any arithmetic, by its length.
"""

import argparse
import json

from jobs import NETWORK, SWEEP, median_of, mpirun, program, run, write


def overhead(ranks, rows, rounds, turns):
    alone, launched = [], []
    for _ in range(turns):
        alone.append(run(ranks, "single", rows, rounds, timeout=300))
        launched.append(mpirun(1, ranks, "one", rows, rounds))

    def best(jobs, kind):
        return min(turn[kind] for job in jobs for turn in job["rounds"])
    return {
        "rows": rows, "inside": median_of(launched, "median", "overhead"),
        "started": best(launched, "mpi") / best(alone, "single_process") - 1,
        "seconds": {"without_mpi": best(alone, "single_process"), "under_mpirun": best(launched, "mpi")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build/bench", help="build directory")
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    ranks = program(options.build)
    result = {
        "network": NETWORK, "sweep": SWEEP,
        "scaling": {**mpirun(2, ranks, "scaling", options.rows, options.rounds),
                    "methods": mpirun(2, ranks, "scaling-of-methods", options.rows // 5, 3)},
        "gauss_newton": mpirun(2, ranks, "gauss-newton", options.rows // 10, 3),
        "overhead": overhead(ranks, options.rows // 20, 10, 8),
        "messages": mpirun(2, ranks, "messages", 500)}
    write("compare_ranks", result)
    shown = {name: result["scaling"][name]["median"] for name in ("full", "layer")}
    shown |= {name: result["scaling"]["methods"][name]["median"] for name in ("b2ld", "b2ld_uncached", "lbfgs")}
    print(json.dumps({**shown, "overhead": result["overhead"]}, indent=1))


if __name__ == "__main__":
    main()
