"""Data and paths that several tests use."""

import os
import pathlib
import signal

import numpy as np
import pytest

import strata

ROOT = pathlib.Path(__file__).resolve().parents[2]


def numbers(table):
    """Inputs and target of a table whose last column is the target."""
    *inputs, target = table.names
    return np.column_stack([table.column(name) for name in inputs]), table.column(target)


@pytest.fixture(scope="session", autouse=True)
def interruptible():
    """Shells start background jobs with Ctrl-C ignored, and Python then leaves it so."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def friedman():
    return numbers(strata.friedman1(rows=300, inputs=5, seed=1))


@pytest.fixture
def houses():
    frame = strata.to_frame(strata.housing(rows=300, seed=1))
    return frame.drop(columns="price"), frame["price"]


@pytest.fixture
def quick():
    """An estimator that takes hundredths of a second."""
    def make(**options):
        return strata.StrataRegressor(**{"hidden": (6,), "max_epochs": 5, "random_state": 0, "n_threads": 1, **options})
    return make


@pytest.fixture(scope="session")
def program():
    path = pathlib.Path(os.environ.get("STRATA_PROGRAM", ROOT / "build/release/apps/strata/strata"))
    assert path.exists(), "build the command line first: cmake --build --preset release --target strata_cli"
    return path
