#!/usr/bin/env python3
"""Block Gauss-Newton in Strata against a plain numpy version of the method, from the same start, one thread each.

The numpy version runs for 10 processor seconds; the ratio is 10 over the processor seconds in which Strata reaches the
objective it has then, the median of three starts. It is not part of this repository: STRATA_PROTOTYPES names the
directory of blgn_prototype.py (default ../shared/prototypes), and the comparison is left out where that is absent.

    compare_blgn_numpy.py [build directory]      default: build/bench; writes bench/results/compare_blgn_numpy.json
"""
import json
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "support"), str(ROOT / "experiments")]
import blas  # noqa: E402

blas.use_threads(1)

import numpy  # noqa: E402

import strata  # noqa: E402
from records import train, training_rows  # noqa: E402

SECONDS = 10
SEEDS = [1, 2, 3]


def problem(program, data, seed):
    """Rows with the constant that the program's first layer reads last moved to the front, weights likewise."""
    x, y = training_rows(data, program)
    network = strata.Network(x.shape[1], [50] * 5, bias="input")
    network.initialise("uniform", 0.5, seed=seed)
    x = numpy.hstack([numpy.ones((len(x), 1)), x])
    weights = [numpy.array(layer) for layer in network.weights]
    weights[0] = numpy.vstack([weights[0][-1:], weights[0][:-1]])
    return x, y.reshape(-1, 1), weights, 1e-3 / (network.size * len(x))


def objective(prototype, x, y, weights, l2):
    error = prototype.forward(weights, 0, x)[-1] - y
    return float((error * error).mean()) + l2 * sum(float((w * w).sum()) for w in weights)


def compare(prototype, program, data, seed):
    x, y, weights, l2 = problem(program, data, seed)
    weights = prototype.blgn(x, y, weights, l2, SECONDS)
    reached = objective(prototype, x, y, weights, l2)
    ours, _ = train(data, "5x50", "blgn", seed, "--time-limit", "60", "--objective-at-most", repr(reached), program=program)
    ratio = SECONDS / ours["seconds"] if ours["objective"] <= reached else 0.0
    return {"data": data, "seed": seed, "objective": reached, "strata_seconds": ours["seconds"], "ratio": ratio}


def main():
    directory = pathlib.Path(os.environ.get("STRATA_PROTOTYPES", "../shared/prototypes"))
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bench") / "apps/strata/strata"
    if not (directory / "blgn_prototype.py").exists():
        print(f"skipped: {directory} has no blgn_prototype.py")
        return
    sys.path.insert(0, str(directory))
    import blgn_prototype
    blgn_prototype.time.perf_counter = time.process_time  # seconds of this program, whatever else the machine does
    results, ratios = [], {}
    for data in ("mv", "california"):
        starts = [compare(blgn_prototype, program, data, seed) for seed in SEEDS]
        ratios[data] = statistics.median(start["ratio"] for start in starts)
        results += starts
    report = {"comparison": results, "median_ratios": ratios}
    pathlib.Path("bench/results/compare_blgn_numpy.json").write_text(json.dumps(report, indent=1) + "\n")
    for result in results:
        print(json.dumps(result))
    print(json.dumps(ratios))


if __name__ == "__main__":
    main()
