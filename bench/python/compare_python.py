#!/usr/bin/env python3
"""StrataRegressor against scikit-learn's MLPRegressor and PyTorch, and the Python call against the C++ program.

Peers: the paper's california and mv (training rows), five sigmoid layers of 50 with biases, squared error, no
regulariser, one thread each, processor time. Each peer trains for 5 s and its best training error counts, with the
moment at which it was reached; Adam has two step sizes and the better one counts; evaluations are not charged.
L-BFGS is looked at after 100 iterations (scikit-learn) or 20 (PyTorch), and may exceed the time by that.
StrataRegressor, with the defaults of its method, trains until it is at or below the same error, all of its call charged.
"ratio" is the peer's time over Strata's; 0: not reached in 30 s.

Overhead: strata.train against strata train on the same run (blgn, 5x50, mv), in turns, the best of five each,
everything inside the call charged; the objectives must have the same bits.

    .venv/bin/python bench/python/compare_python.py build/bench

Prints and writes bench/results/compare_python.json. STRATA_DATA names the directory of the data files.
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
from sklearn.neural_network import MLPRegressor  # noqa: E402

import strata  # noqa: E402
from strata import schemes  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments"))
import records  # noqa: E402

HIDDEN = (50,) * 5
SECONDS, STRATA_SECONDS = 5.0, 30.0


class Stopwatch:
    """Processor time of training alone, and the lowest error seen with its moment."""

    def __init__(self):
        self.spent, self.best, self.when = 0.0, np.inf, 0.0

    def run(self, step, error):
        """Steps until the time is over; the error is looked at after each, and not charged."""
        while self.spent < SECONDS:
            start = time.process_time()
            more = step()
            self.spent += time.process_time() - start
            now = error()
            if now < self.best:
                self.best, self.when = now, self.spent
            if more is False:
                break
        return self


def mean_squared(predict, X, y):
    return lambda: float(np.mean((np.asarray(predict(X), dtype=np.float64).ravel() - y) ** 2))


def sklearn_adam(X, y, rate):
    model = MLPRegressor(hidden_layer_sizes=HIDDEN, activation="logistic", alpha=0, learning_rate_init=rate, random_state=0)
    return Stopwatch().run(lambda: model.partial_fit(X, y) and None, mean_squared(model.predict, X, y))


def sklearn_lbfgs(X, y):
    model = MLPRegressor(hidden_layer_sizes=HIDDEN, activation="logistic", alpha=0, solver="lbfgs", random_state=0,
                         warm_start=True, max_iter=100, max_fun=10**9, tol=0)

    def step():
        before = getattr(model, "loss_", np.inf)
        model.fit(X, y)
        return model.loss_ < before  # nothing gained in a hundred iterations: it is stuck
    return Stopwatch().run(step, mean_squared(model.predict, X, y))


def torch_network(X):
    torch.manual_seed(0)
    layers, width = [], X.shape[1]
    for size in HIDDEN:
        layers += [torch.nn.Linear(width, size), torch.nn.Sigmoid()]
        width = size
    for layer in layers[::2]:
        torch.nn.init.xavier_uniform_(layer.weight)
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, 1))


def torch_problem(X, y):
    network = torch_network(X)
    x, t = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32).reshape(-1, 1)

    def predict(_):
        with torch.no_grad():
            return network(x).numpy()
    return network, x, t, mean_squared(predict, X, y)


def torch_adam(X, y, rate, batch=128):
    network, x, t, error = torch_problem(X, y)
    adam = torch.optim.Adam(network.parameters(), lr=rate)

    def epoch():
        for rows in torch.randperm(len(x)).split(batch):
            adam.zero_grad()
            torch.nn.functional.mse_loss(network(x[rows]), t[rows]).backward()
            adam.step()
    return Stopwatch().run(epoch, error)


def torch_lbfgs(X, y):
    network, x, t, error = torch_problem(X, y)
    solver = torch.optim.LBFGS(network.parameters(), max_iter=20, history_size=10, line_search_fn="strong_wolfe",
                               tolerance_grad=0, tolerance_change=0)

    def closure():
        solver.zero_grad()
        loss = torch.nn.functional.mse_loss(network(x), t)
        loss.backward()
        return loss
    return Stopwatch().run(lambda: solver.step(closure) and None, error)


def strata_to(X, y, target):
    model = strata.StrataRegressor(HIDDEN, l2=0, scale="none", target_scale="none", early_stopping=False, time_limit=STRATA_SECONDS,
                                   objective_at_most=target, random_state=0, n_threads=1)
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    error = float(np.mean((model.predict(X) - y) ** 2))
    return seconds, error


def compare_with_peers(program):
    torch.set_num_threads(1)
    rates = (1e-3, 1e-2)
    peers = {
        "scikit-learn lbfgs": [lambda X, y: sklearn_lbfgs(X, y)],
        "scikit-learn adam": [lambda X, y, r=r: sklearn_adam(X, y, r) for r in rates],
        "PyTorch LBFGS": [lambda X, y: torch_lbfgs(X, y)],
        "PyTorch Adam": [lambda X, y, r=r: torch_adam(X, y, r) for r in rates],
    }
    for data in ("california", "mv"):
        X, y = records.training_rows(data, program)
        for peer, runs in peers.items():
            best = min((run(X, y) for run in runs), key=lambda watch: watch.best)
            seconds, error = strata_to(X, y, best.best)
            reached = error <= best.best * (1 + 1e-9)
            yield {"data": data, "peer": peer, "error": best.best, "peer_seconds": best.when, "strata_seconds": seconds,
                   "ratio": best.when / seconds if reached else 0.0}


def overhead(strata_program):
    X, y = records.training_rows("mv", strata_program)
    program, python, with_callback = [], [], []

    def in_python(callback):
        network = strata.Network(X.shape[1], HIDDEN, bias="input")
        network.initialise("uniform", 0.5, seed=1)
        scheme = schemes.preset("blgn", network.layers)
        scheme.stopping.max_sweeps = 3
        start = time.process_time()
        result = strata.train(network, X, y, scheme, l2=1e-3 / (network.size * len(X)), random_state=1, n_threads=1,
                              callback=callback)
        return time.process_time() - start, result.value

    for _ in range(5):
        record, _ = records.train("mv", "5x50", "blgn", 1, "--sweeps", "3", program=strata_program)
        program.append(record["elapsed_seconds"])
        for times, callback in ((python, None), (with_callback, lambda step: None)):
            seconds, value = in_python(callback)
            assert value == record["objective"], "the two did not do the same"
            times.append(seconds)
    base = min(program)
    return {"program_seconds": base, "python": min(python) / base - 1, "python_with_callback": min(with_callback) / base - 1}


def main():
    warnings.filterwarnings("ignore")
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bench").resolve()
    program = build / "apps/strata/strata"
    result = {"overhead": overhead(program), "versions": {"torch": torch.__version__}, "peers": []}
    print(json.dumps(result["overhead"]))
    for row in compare_with_peers(program):
        print(json.dumps(row), flush=True)
        result["peers"].append(row)
    (ROOT / "bench/results/compare_python.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
