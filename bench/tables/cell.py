"""One cell of the benchmark: a set, a split, a peer. Prints one JSON object. A process of its own, so that peak memory is the
peer's and a crash costs one cell."""

import json
import resource
import sys
import time
import warnings

import peers  # sets the number of threads, before numpy

import numpy as np

import sets


def error(task, y, found, classes):
    """RMSE, or log-loss of the classes of the training rows in sorted order."""
    if task == "regression":
        return float(np.sqrt(np.mean((np.asarray(found, float).ravel() - y) ** 2)))
    found = np.clip(np.asarray(found, float), 1e-15, 1)
    found /= found.sum(axis=1, keepdims=True)
    known = np.isin(y, classes)
    codes = np.searchsorted(classes, y[known])
    return float(-np.mean(np.log(found[np.flatnonzero(known), codes])))


def main(name, peer, seed):
    warnings.simplefilter("ignore")
    task, X, y = sets.load(name)
    train, test = sets.split(name, task, X, y, seed)
    X = X.drop(columns="part", errors="ignore")
    X.columns = [f"x{k}" for k in range(X.shape[1])]  # not every library takes every name
    X_train, X_test = X.iloc[train].reset_index(drop=True), X.iloc[test].reset_index(drop=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    processor = time.process_time()
    start = time.perf_counter()
    predict = {**peers.PEERS, **peers.SLOW}[peer](X_train, y[train], task, seed)
    trained = time.perf_counter()
    processor_trained = time.process_time()
    found = predict(X_test)
    done = time.perf_counter()
    if task == "classification":
        assert np.asarray(found).shape[1] == len(np.unique(y[train]))
    print(json.dumps({
        "set": name, "peer": peer, "seed": seed, "task": task, "rows": len(train), "test_rows": len(test),
        "error": error(task, y[test], found, np.unique(y[train])),
        "train_seconds": trained - start, "train_processor_seconds": processor_trained - processor,
        "predict_seconds": done - trained,
        "memory_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
