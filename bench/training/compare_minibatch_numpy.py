#!/usr/bin/env python3
"""Minibatch training: samples per second of Strata's ig and bling against the same loops in numpy.

mv's shape (32614 x 12 and a constant), 5x50, batch 32, one thread each, processor time, in turns; both in double, then both in
single precision.

    .venv/bin/python bench/training/compare_minibatch_numpy.py build/bench

Prints and writes bench/results/compare_minibatch_numpy.json; "ratio" is Strata's rate over numpy's.
"""

import itertools
import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "support"))
import blas  # noqa: E402

blas.use_threads(1)

import numpy as np  # noqa: E402
import numpy_network  # noqa: E402

BATCH, L2, EPSILON = 32, 1e-8, 5e-3


def norm(gradients):
    return np.sqrt(sum(float(np.vdot(g, g)) for g in gradients))


def ig(weights, x, y, batches):
    alpha = 0.5
    for b in range(batches):
        rows = slice(b * BATCH, (b + 1) * BATCH)
        _, gradients = numpy_network.value_and_gradients(weights, x[rows], y[rows], L2)
        step = alpha / max(1e-3, min(1e6, norm(gradients)))
        for w, g in zip(weights, gradients):
            w -= step * g
        alpha *= 1 - EPSILON * alpha


def bling(weights, x, y, batches):
    alpha = 0.5 / max(1, len(weights) - 2)
    for b in range(batches):
        rows = slice(b * BATCH, (b + 1) * BATCH)
        inputs = [x[rows], *numpy_network.forward(weights, x[rows])[:-1]]  # one pass serves all prefixes
        for layer in range(len(weights) - 1, -1, -1):
            g = numpy_network.block_gradient(weights, layer, inputs[layer], y[rows], L2)
            weights[layer] -= alpha / max(1e-3, min(1e6, norm([g]))) * g
        alpha *= 1 - EPSILON * alpha


def numpy_rate(method, precision, batches=400):
    x, y, weights = numpy_network.random_problem(32614, 12, [50] * 5)
    x, y, weights = x.astype(precision), y.astype(precision), [w.astype(precision) for w in weights]
    start = time.process_time()
    method(weights, x, y, batches)
    return batches * BATCH / (time.process_time() - start)


def strata_rate(program, name, precision):
    output = subprocess.run([program, f"--benchmark_filter={name}/{precision}/", "--benchmark_format=json"],
                            check=True, capture_output=True, text=True).stdout
    return json.loads(output)["benchmarks"][0]["samples_per_second"]


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "bench") / "bench" / "bench_minibatch"
    rows = []
    for precision, (name, method) in itertools.product(("float64", "float32"), {"ig": ig, "bling": bling}.items()):
        theirs, ours = [], []
        for _ in range(5):
            theirs.append(numpy_rate(method, precision))
            ours.append(strata_rate(program, name, precision))
        rows.append({"method": name, "precision": precision, "numpy_samples_per_second": max(theirs), "strata_samples_per_second": max(ours),
                     "ratio": max(ours) / max(theirs)})
    (ROOT / "bench" / "results").mkdir(exist_ok=True)
    (ROOT / "bench" / "results" / "compare_minibatch_numpy.json").write_text(json.dumps({"methods": rows}, indent=1) + "\n")
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
