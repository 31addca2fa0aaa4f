"""Strata: deep feed-forward networks on tables, trained layer by layer.

StrataRegressor and StrataClassifier fit and predict as in scikit-learn; the rest is the library underneath. See docs/python.md.
"""

from importlib.metadata import version as _version

from . import schemes
from ._classifier import StrataClassifier
from ._frames import read_parquet
from ._library import Objective, TrainingResult, to_frame, train
from ._model import Model, load_model
from ._regressor import StrataRegressor
from ._strata import (
    GaussNewton,
    Network,
    Table,
    folded_staircase,
    friedman1,
    housing,
    method_options,
    methods,
    read_table,
    spirals,
)

__version__ = _version("strata")
__all__ = [
    "GaussNewton", "Model", "Network", "Objective", "StrataClassifier", "StrataRegressor", "Table", "TrainingResult", "folded_staircase",
    "friedman1", "housing", "load_model", "method_options", "methods", "read_parquet", "read_table",
    "schemes", "spirals", "to_frame", "train",
]
