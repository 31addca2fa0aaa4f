"""Strata: deep feed-forward networks on tables, trained layer by layer.

StrataRegressor and StrataClassifier fit and predict as in scikit-learn; the rest is the library underneath. See docs/python.md.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import callbacks, schemes
from ._frames import read_parquet
from ._library import Objective, TrainingResult, to_frame, train
from ._model import Model, load_model
from ._strata import (
    GaussNewton,
    Network,
    Table,
    folded_staircase,
    friedman1,
    housing,
    method_options,
    methods,
    minimise,
    read_table,
    spirals,
)

if _TYPE_CHECKING:
    from ._classifier import StrataClassifier
    from ._regressor import StrataRegressor

    __version__: str

__all__ = [
    "GaussNewton", "Model", "Network", "Objective", "StrataClassifier", "StrataRegressor", "Table", "TrainingResult", "callbacks", "folded_staircase",
    "friedman1", "housing", "load_model", "method_options", "methods", "minimise", "read_parquet", "read_table",
    "schemes", "spirals", "to_frame", "train",
]

# The estimators load scikit-learn, which takes seconds: not before one of them is used.
_ESTIMATORS = {"StrataClassifier": "._classifier", "StrataRegressor": "._regressor"}


def __getattr__(name: str) -> _Any:
    if name in _ESTIMATORS:
        value = getattr(_import_module(_ESTIMATORS[name], __name__), name)
    elif name == "__version__":  # to load importlib.metadata takes half as long as NumPy
        value = _import_module("importlib.metadata").version("strata")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
