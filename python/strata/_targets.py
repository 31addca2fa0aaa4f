"""What y holds: numbers for a regression, labels of any kind for a classification."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _processes, _rows
from ._base import DataConversionWarning
from ._rows import Array


class Target:
    """Numbers."""

    labels: list[str] = []

    def values(self, y: Any, rows: int) -> tuple[Array, bool]:
        """Targets as rows x outputs, and whether they were given as one list."""
        return _rows.targets(y, rows)

    def keep(self, estimator: Any) -> None:
        """What the estimator remembers of it."""


class Labels(Target):
    """Classes: their codes, from 0, in the order of the sorted labels."""

    def __init__(self, classes: NDArray[Any]) -> None:
        self.classes = classes
        self.labels = [str(label) for label in classes]

    def values(self, y: Any, rows: int) -> tuple[Array, bool]:
        given = label_array(y, rows)
        codes = np.clip(np.searchsorted(self.classes, given), 0, len(self.classes) - 1)
        unknown = np.flatnonzero(self.classes[codes] != given)
        if len(unknown) > 0:
            raise ValueError(f"y[{unknown[0]}] is {given[unknown[0]]!r}, which is none of the classes "
                             f"{', '.join(self.labels[:20])}; correct it or leave out its row")
        return codes.astype(np.float64).reshape(-1, 1), True

    def keep(self, estimator: Any) -> None:
        estimator.classes_ = self.classes


def found_in(y: Any, rows: int, comm: Any) -> Labels:
    """The classes that occur in y, in all processes that share the rows."""
    with _processes.together(comm):
        own = _sorted(label_array(y, rows))
    classes = _sorted(np.concatenate(_processes.gathered(comm, own)))
    if len(classes) < 2:
        raise ValueError(f"y has one class, {classes[0]}; classification needs two or more")
    return Labels(classes)


def _sorted(labels: NDArray[Any]) -> NDArray[Any]:
    try:
        return np.unique(labels)
    except TypeError:
        raise ValueError("y mixes labels that have no order, such as texts and numbers; use labels of one type") from None


def label_array(y: Any, rows: int) -> NDArray[Any]:
    """One label for each row."""
    if hasattr(y, "toarray") and hasattr(y, "nnz"):
        raise TypeError("y is sparse, and dense labels are needed; use y.toarray().ravel()")
    if y is None:
        _rows.check_target(y, rows, "StrataClassifier")
    labels: NDArray[Any] = np.asarray(y)
    _rows.check_target(labels, rows, "StrataClassifier")
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                      "(n_samples,), for example using ravel().", DataConversionWarning, stacklevel=5)
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    if np.iscomplexobj(labels):
        raise ValueError("Complex data not supported: y has complex numbers; use labels")
    if labels.dtype.kind == "O":
        missing = np.array([label is None or label != label for label in labels], dtype=bool)
    else:
        missing = labels != labels
    if missing.any():
        raise ValueError(f"y[{int(np.argmax(missing))}] is missing (NaN or None); fill it in or leave out its row")
    if labels.dtype.kind == "f" and (~np.isfinite(labels) | (labels != np.floor(labels))).any():
        row = int(np.argmax(~np.isfinite(labels) | (labels != np.floor(labels))))
        raise ValueError(f"Unknown label type: continuous. y[{row}] is {labels[row]}; labels are whole numbers or texts: use "
                         "StrataRegressor for numbers, or y.astype(str)")
    return labels
