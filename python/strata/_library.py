"""The library underneath, for people who study methods: objectives, training by schemes, tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from . import _options, _processes, _rows, _strata
from ._records import frame
from ._rows import Array
from ._threads import threads

Weights = Sequence[Any]


class Objective:
    """f(w) = (mean over rows of the squared error, summed over outputs) + l2 ||w||^2, for the weights of a network.

    Weights are a list of arrays, one for each layer, (fan_in, fan_out) as in scikit-learn's coefs_; the bias of a layer is
    the last row of its array. Evaluations reuse the activations of layers before the first one that changed. With precision
    "float32" activations and their derivatives are rounded; weights, values and gradients stay float64.
    """

    def __init__(self, X: Any, y: Any, hidden: Iterable[int], *, activation: str | Sequence[str] = "sigmoid",
                 bias: str = "per_layer", l2: float = 0.0, sample_weight: Any = None, precision: str = "float64",
                 n_threads: int | None = None) -> None:
        x = _rows.numbers(X)
        target, _ = _rows.targets(y, len(x))
        network = _strata.Network(x.shape[1], list(hidden), target.shape[1],
                                  activation if isinstance(activation, str) else list(activation), bias)
        self._rows = _strata.RowsObjective(network, x, target, l2, _rows.weights(sample_weight, len(x)), precision,
                                           threads(n_threads))

    @property
    def network(self) -> _strata.Network:
        """A network of this shape, its weights those of the last evaluation: initialise() it for a start."""
        return self._rows.network

    def value(self, weights: Weights) -> float:
        return self._rows.value(_layers(weights))

    def value_and_gradient(self, weights: Weights, block: int | tuple[int, int] | None = None) -> tuple[float, list[Array]]:
        """f and its gradient in the layers of a block: None for all, a layer, or (first, last)."""
        value, gradient = self._rows.value_and_gradient(_layers(weights), block)
        return value, gradient

    def gauss_newton(self, weights: Weights, layer: int) -> _strata.GaussNewton:
        """The Gauss-Newton model in one layer around these weights: value, gradient, times(v)."""
        return self._rows.gauss_newton(_layers(weights), layer)


class TrainingResult:
    """Why a run ended, what it reached and what it cost; its records as lists of dicts or data frames."""

    def __init__(self, result: _strata.TrainingResult) -> None:
        self._result = result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._result, name)

    def frame(self, records: str = "history") -> Any:
        """The history (a row for each sweep) or the steps as a pandas DataFrame."""
        if records not in ("history", "steps"):
            raise ValueError(f"option 'records' = '{records}': use history or steps")
        return frame(getattr(self._result, records))

    def __repr__(self) -> str:
        return repr(self._result)


def train(
    network: _strata.Network,
    X: Any,
    y: Any,
    scheme: _strata.Scheme,
    *,
    l2: float = 0.0,
    sample_weight: Any = None,
    validation: tuple[Any, Any] | None = None,
    patience: int = 0,
    random_state: Any = 0,
    n_threads: int | None = None,
    callback: Callable[[dict[str, Any]], object] | None = None,
    on_sweep: Callable[[dict[str, Any]], object] | None = None,
    comm: Any = None,
) -> TrainingResult:
    """Trains the network in place, on rows as they are: nothing is scaled.

    callback is given a dict after every step, on_sweep after every sweep; one that returns True ends the run. What they
    raise, and Ctrl-C, ends it too. In each case the network has the best weights found.

    comm: an mpi4py communicator whose processes all call train, each with its own part of the rows, the same scheme and
    the same weights; the first process's callbacks decide. All end with the weights of one process that has all rows.
    """
    comm = _processes.checked(comm)
    shared = comm is not None
    with _processes.together(comm):
        x = _rows.numbers(X, allow_none=shared)
        target, _ = _rows.targets(y, len(x))
        rows = _strata.Rows(x, target, _rows.weights(sample_weight, len(x), shared))
        held_out = None
        if validation is not None:
            vx = _rows.numbers(validation[0], "validation X", allow_none=shared)
            held_out = _strata.Rows(vx, _rows.targets(validation[1], len(vx))[0])
        seed, workers = _options.seed(random_state), threads(n_threads)
    if shared:
        _processes.agree(comm, {
            "columns of X": x.shape[1],
            "columns of y": target.shape[1],
            "sample_weight": "given" if sample_weight is not None else "not given",
            "validation": "given" if validation is not None else "not given",
            "l2": l2,
            "patience": patience,
            "weights to start from": _processes.fingerprint(network.weights),
        })
        seed = _processes.first(comm, seed)
    with _processes.private(comm) as messages, _processes.together(comm, talking=True):
        result = _strata.train(network, rows, scheme, l2, seed, workers, held_out, patience, callback, on_sweep, messages)
    return TrainingResult(result)


def to_frame(table: _strata.Table) -> Any:
    """A table as a pandas DataFrame: numbers and categories."""
    import pandas
    columns = {}
    for name in table.names:
        column = table.column(name)
        columns[name] = pandas.Categorical.from_codes(column[1], column[0]) if isinstance(column, tuple) else column
    return pandas.DataFrame(columns)


def _layers(weights: Weights) -> list[Array]:
    return [np.ascontiguousarray(layer, dtype=np.float64) for layer in weights]
