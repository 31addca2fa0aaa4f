#!/usr/bin/env python3
"""Adam on minibatches of 32: samples per second of Strata against PyTorch, both in single precision.

mv's shape (32614 x 12 and a constant), 5x50 without biases, one thread each, processor time, in turns. PyTorch's Adam is the fused
one; rows are shuffled once for an epoch and a batch is a slice of them. Losses are not looked at. The loop runs eagerly and, where a
compiler is there, with the loss through torch.compile; the faster of the two counts.

    scripts/setup bench
    cmake --preset bench && cmake --build --preset bench
    .venv/bin/python bench/training/compare_minibatch_torch.py build/bench

Prints and writes bench/results/compare_minibatch_torch.json; "ratio" is Strata's rate over PyTorch's.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import blas  # noqa: E402

blas.use_threads(1)

import json  # noqa: E402
import time  # noqa: E402

import torch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / room) for room in ("kernels", "support")]
import numpy_network  # noqa: E402
from compare_minibatch_numpy import BATCH, strata_rate  # noqa: E402
from compare_torch import loss  # noqa: E402

ROUNDS = 5


def torch_rate(compute, batches=1000):
    problem = numpy_network.random_problem(32614, 12, [50] * 5)
    x, y, *weights = (torch.tensor(a, dtype=torch.float32) for a in (problem[0], problem[1], *problem[2]))
    for w in weights:
        w.requires_grad_()
    adam = torch.optim.Adam(weights, lr=1e-3, fused=True)

    def steps(count):
        order = torch.randperm(len(x))
        for rows, targets in list(zip(x[order].split(BATCH), y[order].split(BATCH)))[:count]:
            adam.zero_grad()
            compute(rows, targets, weights).backward()
            adam.step()
    steps(50)
    start = time.process_time()
    steps(batches)
    return batches * BATCH / (time.process_time() - start)


def main():
    torch.set_num_threads(1)
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "bench") / "bench" / "bench_minibatch"
    kinds = {"eager": loss, "compiled": torch.compile(loss)}
    try:
        torch_rate(kinds["compiled"], batches=1)
    except RuntimeError as error:  # no compiler for it
        print(f"torch.compile: {str(error).splitlines()[0]}", file=sys.stderr)
        del kinds["compiled"]
    rates = {kind: [] for kind in ("strata", *kinds)}
    for _ in range(ROUNDS):
        for kind, compute in kinds.items():
            rates[kind].append(torch_rate(compute))
        rates["strata"].append(strata_rate(program, "adam", "float32"))
    best = {kind: max(values) for kind, values in rates.items()}
    result = {"torch": torch.__version__, **{f"{kind}_samples_per_second": rate for kind, rate in best.items()},
              "ratio": best["strata"] / max(best[kind] for kind in kinds)}
    (ROOT / "bench" / "results").mkdir(exist_ok=True)
    (ROOT / "bench" / "results" / "compare_minibatch_torch.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
