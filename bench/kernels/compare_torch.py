#!/usr/bin/env python3
"""Full f and gradient: Strata against PyTorch, both called from Python, in turns, one thread each, processor time.

    scripts/setup bench && scripts/wheel
    .venv/bin/python bench/kernels/compare_torch.py

The problem is that of compare_numpy.py, without the regulariser: mean squared error of sigmoid layers, a constant input, no other
bias. PyTorch runs eagerly and, where a compiler is there, through torch.compile; the faster of the two counts. Prints and writes
bench/results/compare_torch.json; "ratio" is PyTorch's time over Strata's in the same precision.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import blas  # noqa: E402

blas.use_threads(1)

import json  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402

import numpy as np  # noqa: E402
import torch  # noqa: E402

import strata  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "support"))
import numpy_network  # noqa: E402
from compare_numpy import NETWORKS  # noqa: E402

PRECISIONS = {"float32": torch.float32, "float64": torch.float64}
ROUNDS, CALLS = 7, 5


def loss(x, y, weights):
    for w in weights[:-1]:
        x = torch.sigmoid(x @ w)
    return torch.nn.functional.mse_loss(x @ weights[-1], y)


def torch_pass(problem, dtype, compute):
    x, y, *weights = (torch.tensor(a, dtype=dtype) for a in (problem[0], problem[1], *problem[2]))
    for w in weights:
        w.requires_grad_()

    def run():
        value = compute(x, y, weights)
        return value, torch.autograd.grad(value, weights)
    return run


def strata_pass(problem, hidden, precision):
    x, y, weights = problem
    objective = strata.Objective(x, y[:, 0], hidden, bias="none", precision=precision, n_threads=1)
    return lambda: objective.value_and_gradient(weights)


def seconds(run):
    start = time.process_time()
    for _ in range(CALLS):
        run()
    return (time.process_time() - start) / CALLS


def difference(ours, theirs):
    """Largest difference of a gradient's entries, over the largest entry of its layer."""
    return max(float(np.max(np.abs(a - b.detach().numpy())) / np.max(np.abs(a))) for a, b in zip(ours[1], theirs[1]))


def compare(name, hidden, precision):
    problem = numpy_network.random_problem(32614, 12, hidden)
    runs = {"strata": strata_pass(problem, hidden, precision), "eager": torch_pass(problem, PRECISIONS[precision], loss)}
    torch.compiler.reset()  # code for this network alone, not for any shape
    try:
        runs["compiled"] = torch_pass(problem, PRECISIONS[precision], torch.compile(loss))
        runs["compiled"]()
    except RuntimeError as error:  # no compiler for it
        warnings.warn(f"torch.compile: {str(error).splitlines()[0]}")
        del runs["compiled"]
    first = {kind: run() for kind, run in runs.items()}
    times = {kind: [] for kind in runs}
    for _ in range(ROUNDS):
        for kind, run in runs.items():
            times[kind].append(seconds(run))
    best = {kind: min(values) for kind, values in times.items()}
    theirs = min(value for kind, value in best.items() if kind != "strata")
    return {"network": name, "precision": precision, **{f"{kind}_ms": 1e3 * value for kind, value in best.items()},
            "ratio": theirs / best["strata"], "gradients_differ_by": difference(first["strata"], first["eager"])}


def main():
    torch.set_num_threads(1)
    rows = []
    for precision in PRECISIONS:
        for name, hidden in NETWORKS.items():
            rows.append(compare(name, hidden, precision))
            print(json.dumps(rows[-1]), flush=True)
    result = {"torch": torch.__version__, "networks": rows}
    (ROOT / "bench" / "results").mkdir(exist_ok=True)
    (ROOT / "bench" / "results" / "compare_torch.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
