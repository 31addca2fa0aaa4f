"""Memory: what a fit takes is given back, arrays are not copied on the way in, and an end of memory is an exception."""

import gc
import os
import resource
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from conftest import ROOT

import strata


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_many_fits_do_not_grow(friedman, quick):
    X, y = friedman
    def use():
        model = quick(max_epochs=2, hidden=(20, 20)).fit(X, y, callbacks=lambda record: None)
        model.predict(X)
        strata.Objective(X, y, (20,)).value_and_gradient(strata.Network(5, [20]).weights)
    for _ in range(20):  # the allocator finds its size
        use()
    gc.collect()
    before = resident()
    for _ in range(120):
        use()
    gc.collect()
    # The model alone has 40 kB of weights, the rows 14 kB: 120 kept ones would be 6 MB.
    assert resident() - before < 2e6


def test_references_are_given_back(friedman, quick):
    X, y = friedman
    def callback(record):
        pass
    weights = np.ones(len(X))
    objects = [X, y, weights, callback]
    counts = [sys.getrefcount(thing) for thing in objects]
    for _ in range(20):
        quick(max_epochs=1).fit(X, y, sample_weight=weights, eval_set=(X, y), callbacks=callback)
    gc.collect()
    assert [sys.getrefcount(thing) for thing in objects] == counts


def test_references_are_given_back_after_exceptions(friedman, quick):
    X, y = friedman
    def fail(record):
        raise RuntimeError
    counts = [sys.getrefcount(X), sys.getrefcount(fail)]
    for _ in range(20):
        try:
            quick().fit(X, y, callbacks=fail)
        except RuntimeError:
            pass
    gc.collect()
    assert [sys.getrefcount(X), sys.getrefcount(fail)] == counts


def test_arrays_in_c_order_are_handed_over_without_a_copy(quick):
    X = np.random.default_rng(0).random((200000, 10))
    y = X[:, 0].copy()
    model = quick(method="elm", max_epochs=1, early_stopping=False)
    tracemalloc.start()  # NumPy reports its arrays; the library's own copy, scaled, is not among them
    model.fit(X, y)
    model.predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 4


def test_results_outlive_what_they_came_from(friedman, quick):
    coefs = quick().fit(*friedman).coefs_
    gc.collect()
    assert np.isfinite(coefs[0]).all()
    coefs[0][:] = 0  # an own copy


def test_an_allocation_that_fails_is_an_exception(program):
    library = program.parents[2] / "tests/harness/fail_malloc.so"
    if not library.exists():
        pytest.skip("build the target fail_malloc")
    harness = subprocess.run([sys.executable, "-B", ROOT / "tests/harness/python_allocations.py", "--quick"], capture_output=True,
                             text=True, check=False, env={**os.environ, "STRATA_FAIL_MALLOC": str(library)})
    assert harness.returncode == 0, harness.stdout
