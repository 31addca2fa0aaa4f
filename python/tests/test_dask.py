"""Training on the workers of a Dask cluster: the bits of one process, and one error when something fails."""

import os
import signal

import numpy as np
import pandas as pd
import pytest

import strata

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
import dask.array
import dask.dataframe

import strata.dask

OPTIONS = dict(hidden=(6, 5), max_epochs=3, random_state=3, n_threads=1)


@pytest.fixture(scope="module")
def client():
    settings = {"distributed.worker.daemon": False, "distributed.comm.retry.count": 0, "distributed.scheduler.allowed-failures": 0}
    with dask.config.set(settings), distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as made:
            yield made


@pytest.fixture(scope="module")
def houses():
    frame = strata.to_frame(strata.housing(rows=1200, seed=1))
    texts = frame.select_dtypes("category").columns
    return frame.astype({text: str for text in texts})


def weights(model):
    return [layer.tobytes() for layer in model.coefs_]


def test_arrays_give_the_bits_of_one_process(client):
    X = np.random.default_rng(1).random((1500, 4))
    y = X[:, 0] * X[:, 1]
    one = strata.StrataRegressor(**OPTIONS).fit(X, y, sample_weight=1 + X[:, 2])
    parts = [dask.array.from_array(values, chunks=(300,) + values.shape[1:]) for values in (X, y, 1 + X[:, 2])]
    several = strata.dask.StrataRegressor(client=client, **OPTIONS).fit(parts[0], parts[1], sample_weight=parts[2])
    assert several.model_.training["processes"] == 3
    assert weights(several) == weights(one)
    np.testing.assert_array_equal(several.predict(parts[0]).compute(), one.predict(X))
    np.testing.assert_array_equal(several.predict(X), one.predict(X))


def test_frames_with_texts_give_the_bits_of_one_process(client, houses, tmp_path):
    frame = dask.dataframe.from_pandas(houses, npartitions=5)
    X, y = houses.drop(columns="price"), houses["price"]
    several = strata.dask.StrataRegressor(client=client, **OPTIONS).fit(frame.drop(columns="price"), frame["price"])
    one = strata.StrataRegressor(**OPTIONS).fit(X, y)
    assert weights(several) == weights(one)
    several.save(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(strata.load_model(tmp_path / "model.safetensors").predict(X).ravel(), one.predict(X))


def test_labels_and_probabilities(client, houses):
    frame = dask.dataframe.from_pandas(houses, npartitions=2)
    several = strata.dask.StrataClassifier(client=client, **OPTIONS).fit(frame.drop(columns="garden"), frame["garden"])
    one = strata.StrataClassifier(**OPTIONS).fit(houses.drop(columns="garden"), houses["garden"])
    assert several.model_.training["processes"] == 2  # as many as there are partitions
    new = frame.drop(columns="garden")
    np.testing.assert_array_equal(several.predict_proba(new).compute(), one.predict_proba(new.compute()))
    assert list(several.predict(new).compute()) == list(one.predict(new.compute()))


def test_a_mistake_is_told_once(client):
    X = dask.array.ones((90, 2), chunks=(30, 2))
    with pytest.raises(ValueError, match="option 'method' = 'none'"):
        strata.dask.StrataRegressor(client=client, method="none").fit(X, X[:, 0])
    bad = dask.array.from_array(np.where(np.arange(180).reshape(90, 2) == 170, np.nan, 1.0), chunks=(30, 2))
    with pytest.raises(ValueError, match=r"X\[25, 0\] is NaN"):
        strata.dask.StrataRegressor(client=client, missing="refuse").fit(bad, X[:, 0])
    with pytest.raises(ValueError, match="y has 2 partitions where X has 3"):
        strata.dask.StrataRegressor(client=client).fit(X, X[:, 0].rechunk(50))
    with pytest.raises(TypeError, match="X is a ndarray; give a Dask frame"):
        strata.dask.StrataRegressor(client=client).fit(np.ones((9, 2)), X[:, 0])


def test_a_worker_that_dies_gives_one_clear_error(client):
    def die(record):
        if distributed.get_worker().name == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    X = dask.array.from_array(np.random.default_rng(1).random((900, 2)), chunks=(300, 2))
    with pytest.raises(ConnectionError, match=r"worker tcp://127.0.0.1:\d+ \(process \d of 3\) has gone while processes trained together"):
        strata.dask.StrataRegressor(client=client, **OPTIONS).fit(X, X[:, 0], callbacks=die)
    client.wait_for_workers(3)
    again = strata.dask.StrataRegressor(client=client, **OPTIONS).fit(X, X[:, 0])
    assert again.model_.training["processes"] == 3
