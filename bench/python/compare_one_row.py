#!/usr/bin/env python3
"""A prediction of one row from Python: StrataRegressor against scikit-learn's MLPRegressor and a network of PyTorch.

13 inputs, three sigmoid layers of 50, one thread each, processor time for a call, in turns. All are given a float64 array of one row;
PyTorch's network computes in float64 too, in inference mode, from a tensor that shares the array's memory. "model" is strata's Model
below the estimator. Training lasts one epoch: its weights do not matter here.

    scripts/setup bench && scripts/wheel
    .venv/bin/python bench/python/compare_one_row.py

Prints and writes bench/results/compare_one_row.json: microseconds, the best of several rounds.
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
import sklearn  # noqa: E402
import torch  # noqa: E402
from sklearn.neural_network import MLPRegressor  # noqa: E402

import strata  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
HIDDEN = (50, 50, 50)
ROUNDS, CALLS = 20, 500


def torch_predict():
    layers, width = [], 13
    for size in HIDDEN:
        layers += [torch.nn.Linear(width, size), torch.nn.Sigmoid()]
        width = size
    network = torch.nn.Sequential(*layers, torch.nn.Linear(width, 1)).double()

    def predict(row):
        with torch.inference_mode():
            return network(torch.from_numpy(row)).numpy()
    return predict


def predictors():
    random = np.random.default_rng(1)
    X, y = random.random((500, 13)), random.random(500)
    model = strata.StrataRegressor(HIDDEN, max_epochs=1, random_state=0, n_threads=1).fit(X, y)
    peer = MLPRegressor(hidden_layer_sizes=HIDDEN, activation="logistic", max_iter=1, random_state=0).fit(X, y)
    return {"strata": model.predict, "model": model.model_.predict, "scikit-learn": peer.predict, "pytorch": torch_predict()}


def microseconds(predict, row):
    start = time.process_time()
    for _ in range(CALLS):
        predict(row)
    return 1e6 * (time.process_time() - start) / CALLS


def main():
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    row = np.random.default_rng(2).random((1, 13))
    peers = predictors()
    times = {name: [] for name in peers}
    for _ in range(ROUNDS):
        for name, predict in peers.items():
            times[name].append(microseconds(predict, row))
    result = {"versions": {"scikit-learn": sklearn.__version__, "torch": torch.__version__},
              "microseconds": {name: min(values) for name, values in times.items()}}
    (ROOT / "bench" / "results").mkdir(exist_ok=True)
    (ROOT / "bench" / "results" / "compare_one_row.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
