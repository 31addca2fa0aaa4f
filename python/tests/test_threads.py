"""Threads: how many are used, and that Python goes on while the library computes."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import threadpoolctl

import strata
from strata._threads import threads


def test_threads_follow_the_argument_the_environment_and_the_cores(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert threads(None) == len(os.sched_getaffinity(0))
    assert threads(3) == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "5,2")
    assert threads(None) == 5
    assert threads(3) == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert threads(None) == len(os.sched_getaffinity(0))


def test_threadpoolctl_limits_and_lets_go(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "6")
    with threadpoolctl.threadpool_limits(2):
        assert threads(None) == 2
        assert threads(8) == 2
        assert threads(1) == 1
    assert threads(8) == 8
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        assert threads(8) == 8
    shown = [library for library in threadpoolctl.threadpool_info() if library["user_api"] == "strata"]
    assert [library["num_threads"] for library in shown] == [6]


def test_the_number_reaches_the_library(friedman, quick):
    def running():
        return len(os.listdir("/proc/self/task"))
    def more(n_threads):
        model = quick(n_threads=n_threads, method="lbfgs", early_stopping=False)  # loads scikit-learn, with threads of its libraries
        before, during = running(), []
        model.fit(*friedman, callbacks=lambda record: during.append(running()))
        return max(during) - before
    assert more(1) == 0
    assert more(3) == 2


def test_other_python_threads_go_on_while_a_network_is_trained(friedman, quick):
    counted = []
    done = threading.Event()
    def count():
        while not done.is_set():
            counted.append(time.monotonic())
            time.sleep(0.002)
    thread = threading.Thread(target=count)
    thread.start()
    start = time.monotonic()
    quick(method="adam", max_epochs=None, time_limit=0.5, early_stopping=False).fit(*friedman)
    end = time.monotonic()
    done.set()
    thread.join()
    assert sum(start < moment < end for moment in counted) > 20


def test_two_fits_at_once_give_the_bits_of_one_after_the_other(friedman, quick):
    X, y = friedman
    seeds = [1, 2, 3, 4]
    def fit(seed):
        return quick(random_state=seed, max_epochs=20, hidden=(10, 10)).fit(X, y).predict(X)
    expected = [fit(seed) for seed in seeds]
    found = {}
    workers = [threading.Thread(target=lambda seed=seed: found.__setitem__(seed, fit(seed))) for seed in seeds]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for seed, prediction in zip(seeds, expected, strict=True):
        np.testing.assert_array_equal(found[seed], prediction)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core")
def test_two_fits_at_once_overlap(friedman, quick):
    # Each goes on for a second: one after the other would take two.
    def fit():
        quick(max_epochs=None, time_limit=1, early_stopping=False).fit(*friedman)
    workers = [threading.Thread(target=fit) for _ in range(2)]
    start = time.monotonic()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert time.monotonic() - start < 1.8


def test_the_library_works_without_threadpoolctl_scikit_learn_and_pandas(tmp_path):
    code = """
import sys
for name in ("threadpoolctl", "sklearn", "pandas", "polars"):
    sys.modules[name] = None
import numpy as np, strata
X = np.random.default_rng(0).random((60, 3)); y = X[:, 0] + X[:, 1]
model = strata.StrataRegressor(hidden=(4,), max_epochs=20, random_state=0, batch=32)
assert model.fit(X, y).score(X, y) > 0.8
print(model.set_params(l2=0.5))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True).stdout
    assert out == "StrataRegressor(hidden=(4,), l2=0.5, max_epochs=20, random_state=0, batch=32)\n"


# These leave threads of joblib behind, so that tests which count threads come before.
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_jobs_of_joblib_share_the_cores(monkeypatch, backend):
    joblib = pytest.importorskip("joblib")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = len(os.sched_getaffinity(0))
    share = {"loky": max(cores // 2, 1), "threading": 1}[backend]
    assert joblib.Parallel(n_jobs=2, backend=backend)([joblib.delayed(threads)(None)] * 2) == [share] * 2
    assert joblib.Parallel(n_jobs=2, backend=backend)([joblib.delayed(threads)(3)] * 2) == [3] * 2
    assert joblib.Parallel(n_jobs=1, backend=backend)([joblib.delayed(threads)(None)]) == [cores]


def most_threads_of_a_fit(X, y, n_threads):
    during = []
    model = strata.StrataRegressor(hidden=(8,), method="lbfgs", max_epochs=4, early_stopping=False, random_state=1, n_threads=n_threads)
    model.fit(X, y, callbacks=lambda record: during.append(len(os.listdir("/proc/self/task"))))
    return max(during), model.predict(X).tolist()


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_fits_under_joblib_have_no_more_threads_than_cores(monkeypatch, friedman, backend):
    joblib = pytest.importorskip("joblib")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr("strata._threads._cores", lambda: 8)  # in threads; processes have their share from joblib
    jobs = 2
    with joblib.Parallel(n_jobs=jobs, backend=backend) as pool:
        # With one thread each: what else is there, of joblib and NumPy.
        one = pool(joblib.delayed(most_threads_of_a_fit)(*friedman, 1) for _ in range(jobs))
        found = pool(joblib.delayed(most_threads_of_a_fit)(*friedman, None) for _ in range(jobs))
    for most, predicted in found:
        assert most <= max(most for most, _ in one) + max(len(os.sched_getaffinity(0)) // jobs, 1) - 1
        assert predicted == one[0][1]
