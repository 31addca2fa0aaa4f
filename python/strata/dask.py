"""Estimators that train on a Dask collection, on the workers of a cluster: needs dask and distributed.

    model = strata.dask.StrataRegressor(client=client, random_state=0).fit(X, y)

Each worker trains on consecutive partitions; sums over rows go between the workers by connections of their own. The model is that of one
process with all rows, to the last bit.
"""

from __future__ import annotations

import contextlib
import copy
import secrets
import socket
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from . import _peers
from ._classifier import StrataClassifier as Classifier
from ._estimator import Callback, Estimator
from ._regressor import StrataRegressor as Regressor

try:
    import dask.array
    import distributed
    from dask.base import is_dask_collection
    from dask.delayed import delayed
except ImportError:
    raise ImportError("strata.dask needs dask and distributed; install them, for example by pip install 'strata[dask]'") from None

__all__ = ["StrataClassifier", "StrataRegressor"]

# After the first failure, others may tell more: who has lost its peer knows least.
SECONDS_FOR_REASONS = 15.0
_doors: dict[bytes, socket.socket] = {}  # on a worker: where each run waits for the other processes


class _OnWorkers:
    """An estimator whose fit takes a Dask collection. After it, this has all that the fitted estimator has."""

    _kind: Callable[..., Estimator]

    def __init__(self, client: distributed.Client | None = None, **parameters: Any) -> None:
        self.client = client
        self.estimator_ = self._kind(**parameters)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callbacks: Callback | Iterable[Callback] | None = None) -> Any:
        """Trains on X and y, Dask frames, series or arrays with the same partitions; sample_weight likewise.

        Every worker gets consecutive partitions and n_threads threads, by default as many as Dask has given it. callbacks are called on
        the workers; what that with the first partition returns counts."""
        client = self.client if self.client is not None else distributed.default_client()
        columns = [_parts(values, name) for values, name in ((X, "X"), (y, "y"), (sample_weight, "sample_weight"))]
        for parts, name in zip(columns, ("X", "y", "sample_weight"), strict=True):
            if parts is not None and len(parts) != len(columns[0]):
                raise ValueError(f"{name} has {len(parts)} partitions where X has {len(columns[0])}; give all the same partitions")
        workers = list(client.scheduler_info(n_workers=-1)["workers"])[: len(columns[0])]
        if not workers:
            raise RuntimeError("the Dask cluster has no workers; start some, then call fit again")
        token = secrets.token_bytes(16)
        addresses = list(client.run(_open_door, token, workers=workers).values())
        bounds = np.linspace(0, len(columns[0]), len(workers) + 1).round().astype(int)
        tasks = []
        for rank, worker in enumerate(workers):
            mine = slice(bounds[rank], bounds[rank + 1])
            parts = [None if column is None else column[mine] for column in columns]
            task = delayed(_train, pure=False)(self.estimator_, parts, callbacks, rank, addresses, workers, token)
            tasks.append(client.compute(task, workers=[worker], allow_other_workers=False, retries=0, optimize_graph=False))
        try:
            self.estimator_ = _first_of(tasks)
        finally:
            client.cancel(tasks)
            alive = [worker for worker in client.scheduler_info(n_workers=-1)["workers"] if worker in workers]
            client.run(_close_door, token, workers=alive, on_error="ignore")
        return self

    def predict(self, X: Any) -> Any:
        """Predictions: of a Dask collection as a Dask array, of anything else as the estimator gives them."""
        targets = getattr(self.estimator_, "n_outputs_", 1)
        return self._mapped("predict", X, () if targets == 1 else (targets,))

    def _mapped(self, method: str, X: Any, shape: tuple[int, ...]) -> Any:
        apply = getattr(self.estimator_, method)
        if not is_dask_collection(X):
            return apply(X)
        labels = method == "predict" and hasattr(self.estimator_, "classes_")
        dtype = self.estimator_.classes_.dtype if labels else np.dtype(float)
        parts = [delayed(apply)(part) for part in _parts(X, "X")]
        return dask.array.concatenate([dask.array.from_delayed(part, shape=(np.nan, *shape), dtype=dtype) for part in parts],
                                      allow_unknown_chunksizes=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "estimator_":
            raise AttributeError(name)
        return getattr(self.estimator_, name)


class StrataRegressor(_OnWorkers):
    """strata.StrataRegressor on the workers of `client`, by default the current one. Parameters are those of strata.StrataRegressor."""

    _kind = Regressor


class StrataClassifier(_OnWorkers):
    """strata.StrataClassifier on the workers of `client`, by default the current one. Parameters are those of strata.StrataClassifier."""

    _kind = Classifier

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes, rows x classes; of a Dask collection as a Dask array."""
        return self._mapped("predict_proba", X, (len(self.classes_),))


def _parts(values: Any, name: str) -> Any:
    """The partitions, each as a delayed object; None for None."""
    if values is None:
        return None
    if not is_dask_collection(values) or not hasattr(values, "to_delayed"):
        raise TypeError(f"{name} is a {type(values).__name__}; give a Dask frame, series or array, or use the estimators of strata itself")
    if isinstance(values, dask.array.Array) and values.ndim > 1 and values.numblocks[1] > 1:
        values = values.rechunk({1: -1})
    return list(np.ravel(values.to_delayed()))


def _open_door(token: bytes, dask_worker: Any) -> tuple[str, int]:
    """On a worker: its own host, and a port for this run."""
    host = urlsplit(dask_worker.address).hostname or "127.0.0.1"
    _doors[token] = _peers.listener(host)
    return _doors[token].getsockname()[:2]  # type: ignore[no-any-return]


def _close_door(token: bytes) -> None:
    """On a worker: where its part of the run has not begun."""
    if token in _doors:
        _doors.pop(token).close()


def _train(estimator: Estimator, parts: list[Any], callbacks: Any, rank: int, addresses: list[tuple[str, int]], workers: list[str],
           token: bytes) -> Estimator | None:
    """On a worker: its part of a run."""
    names = [f"worker {worker} (process {number} of {len(workers)})" for number, worker in enumerate(workers)]
    X, y, sample_weight = (None if part is None else _joined(part) for part in parts)
    own = copy.deepcopy(estimator)  # workers may be threads of one process
    if own.n_threads is None:
        own.n_threads = distributed.get_worker().state.nthreads
    comm = _peers.Peers.meet(rank, _doors.pop(token), addresses, names, token)
    try:
        own.fit(X, y, sample_weight=sample_weight, callbacks=callbacks, comm=comm)
    finally:
        comm.close()
    own.n_threads = estimator.n_threads
    return own if rank == 0 else None


def _joined(parts: list[Any]) -> Any:
    if hasattr(parts[0], "iloc"):
        import pandas

        return pandas.concat(parts)
    return np.concatenate(parts)


def _first_of(tasks: list[Any]) -> Any:
    """What the first task returns. When one fails, or its worker is gone, one error tells why."""
    for task in distributed.as_completed(tasks):
        if task.status != "finished":
            break
    else:
        return tasks[0].result()
    with contextlib.suppress(TimeoutError):  # one whose worker is gone never ends
        distributed.wait(tasks, timeout=SECONDS_FOR_REASONS)
    failures = [task.exception() for task in tasks if task.status == "error"]
    raise min(failures, key=_distance)


def _distance(failure: BaseException) -> int:
    """From what went wrong: a process that tells of another's failure knows less of it, one that has lost another less than that, and
    Dask has only seen a worker go."""
    for distance, kind in ((3, distributed.KilledWorker), (2, _peers.PeerGone), (1, RuntimeError)):
        if isinstance(failure, kind):
            return distance
    return 0
