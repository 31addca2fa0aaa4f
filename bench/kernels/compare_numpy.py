#!/usr/bin/env python3
"""Full f and gradient: Strata against numpy, in turns, one thread each, processor time.

    scripts/setup bench
    cmake --preset bench && cmake --build --preset bench
    .venv/bin/python bench/kernels/compare_numpy.py build/bench

Prints and writes bench/results/compare_numpy.json; "ratio" is numpy's time over Strata's. numpy's sigmoid works in
place; "textbook_ratio" is that of 1/(1+exp(-a)) with its temporaries, as most people write it.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import time

import threadpoolctl

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "support"))
import blas  # noqa: E402

blas.use_threads(1)

import numpy_network  # noqa: E402

NETWORKS = {"1x50": [50], "3x20": [20] * 3, "200-50-200": [200, 50, 200], "5x50": [50] * 5, "10x50": [50] * 10}


def numpy_seconds(problem, activation, repetitions=5):
    x, y, weights = problem
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        numpy_network.value_and_gradients(weights, x, y, 1e-8, activation)
        times.append(time.process_time() - start)
    return statistics.median(times)


def strata_seconds(program, network):
    output = subprocess.run([program, f"--benchmark_filter=full/{network}/", "--benchmark_format=json"],
                            check=True, capture_output=True, text=True).stdout
    return json.loads(output)["benchmarks"][0]["real_time"] * 1e-3


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "bench") / "bench" / "bench_objective"
    rows = []
    for name, hidden in NETWORKS.items():
        problem = numpy_network.random_problem(32614, 12, hidden)
        theirs, textbook, ours = [], [], []
        for _ in range(3):
            theirs.append(numpy_seconds(problem, numpy_network.sigmoid))
            textbook.append(numpy_seconds(problem, numpy_network.textbook_sigmoid))
            ours.append(strata_seconds(program, name))
        rows.append({"network": name, "numpy_ms": 1e3 * min(theirs), "textbook_ms": 1e3 * min(textbook),
                     "strata_ms": 1e3 * min(ours), "ratio": min(theirs) / min(ours),
                     "textbook_ratio": min(textbook) / min(ours)})
    blas = [{k: info[k] for k in ("internal_api", "version", "architecture", "num_threads") if k in info}
            for info in threadpoolctl.threadpool_info()]
    result = {"blas": blas, "networks": rows}
    (ROOT / "bench" / "results").mkdir(exist_ok=True)
    (ROOT / "bench" / "results" / "compare_numpy.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
