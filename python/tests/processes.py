"""Run by mpirun from test_processes.py: trains on this process's part of the rows, and writes what it has learnt.

    mpirun -n 3 python processes.py <directory> <case>...
"""

import json
import pathlib
import sys

import numpy as np
from mpi4py import MPI
from sklearn.base import clone

import strata
from strata import schemes

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.Get_rank(), COMM.Get_size()
OPTIONS = {"hidden": (6, 5), "max_epochs": 3, "random_state": 3, "n_threads": 1}


def part(values):
    """Consecutive rows; with three processes the second has none."""
    bounds = {1: [0, 1], 2: [0, 0.7, 1], 3: [0, 0.4, 0.4, 1]}[SIZE]
    begin, end = (round(bound * len(values)) for bound in bounds[RANK:RANK + 2])
    return values[begin:end]


def friedman():
    table = strata.friedman1(rows=2600, inputs=5, seed=1)
    *inputs, target = table.names
    return np.column_stack([table.column(name) for name in inputs]), table.column(target)


def houses():
    """Numbers, texts of which the rarest are with one process only, and missing values."""
    frame = strata.to_frame(strata.housing(rows=1500, seed=1))
    texts = frame.select_dtypes("category").columns
    frame[texts] = frame[texts].astype(object)
    frame.loc[:700, texts[0]] = None
    frame.loc[frame.index[-1], texts[0]] = "seen once"
    return frame.drop(columns="price"), frame["price"]


def fitted(X, y, **options):
    fit_options = {name: options.pop(name) for name in ("sample_weight", "eval_set") if name in options}
    return strata.StrataRegressor(**{**OPTIONS, **options}).fit(part(X), part(y), comm=COMM, **fit_options)


def with_weights():
    X, y = friedman()
    weights = np.arange(len(y)) % 4.0
    held = [values[:301] for values in (X, y, weights)]
    return fitted(X, y, sample_weight=part(weights), eval_set=tuple(part(values) for values in held), method="b2ld")


def continued():
    X, y = friedman()
    model = strata.StrataRegressor(**OPTIONS)
    for rows in (slice(0, 1300), slice(1300, 2600)):
        model.partial_fit(part(X[rows]), part(y[rows]), comm=COMM)
    return model


def by_scheme():
    X, y = friedman()
    network = strata.Network(5, [6])
    network.initialise("glorot", seed=1)
    scheme = schemes.preset("lbfgs", network.layers)
    calls = []
    # Only the first process's answer counts.
    result = strata.train(network, part(X), part(y), scheme, l2=1e-4, comm=COMM,
                          callback=lambda step: calls.append(step) or (RANK == 0 and len(calls) == 2))
    assert result.processes == SIZE and result.reason == "user_request", repr(result)
    return network.weights


def alone():
    """A communicator of one process is that process alone, and no parameter of the estimator."""
    X, y = friedman()
    model = strata.StrataRegressor(**OPTIONS).fit(X, y, comm=COMM.Split(RANK, 0))
    assert clone(model).get_params() == strata.StrataRegressor(**OPTIONS).get_params()
    assert np.array_equal(model.predict(X), clone(model).fit(X, y).predict(X))
    return model


CASES = {
    "numbers": lambda: fitted(*friedman()),
    "weights": with_weights,
    "table": lambda: fitted(*houses(), missing="impute"),
    "partial_fit": continued,
    "train": by_scheme,
    "alone": alone,
}


def one_bad_row():
    X, y = friedman()
    X[-1, 0] = np.nan
    fitted(X, y, missing="refuse")


def one_missing_text():
    strata._processes.SECONDS_FOR_OTHERS = 1.0  # the others wait for ever
    X, y = houses()
    X = X.fillna("none")
    X.iloc[-1, 0] = None
    fitted(X, y, missing="refuse")


def other_options():
    X, y = friedman()
    fitted(X, y, hidden=(6, 5 + RANK))


def raising_callback():
    def refuse(record):
        raise KeyError("no more")

    X, y = friedman()
    strata.StrataRegressor(**OPTIONS).fit(part(X), part(y), comm=COMM, callbacks=refuse if RANK == 0 else None)


def leaving_callback():
    def leave(record):
        sys.exit("enough")

    X, y = friedman()
    strata.StrataRegressor(**OPTIONS).fit(part(X), part(y), comm=COMM, callbacks=leave if RANK == 1 else None)


FAILURES = {"bad_row": one_bad_row, "missing_text": one_missing_text, "other_options": other_options,
            "callback": raising_callback, "leaves": leaving_callback,
            "method": lambda: fitted(*friedman(), method="none")}


def outcome(case):
    if case in FAILURES:
        try:
            FAILURES[case]()
        except (Exception, SystemExit) as error:
            return f"{type(error).__name__}: {error}"
    model = CASES[case]()
    if isinstance(model, list):
        return {"weights": [layer.tobytes().hex() for layer in model]}
    return {"weights": [layer.tobytes().hex() for layer in model.coefs_], "inputs": model.model_.inspect()["inputs"],
            "processes": model.model_.training.get("processes", 1)}


def main(directory, *cases):
    answer = {"size": SIZE, **{case: outcome(case) for case in cases}}
    (pathlib.Path(directory) / f"{RANK}.json").write_text(json.dumps(answer))


main(*sys.argv[1:])
