"""Trained models: files shared with the command line, predictions for arrays, frames and tables."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np

from . import _frames, _rows, _strata
from ._arrow_export import Columns
from ._rows import Array
from ._threads import threads


class Model:
    """A trained network with all that turns raw rows into predictions."""

    def __init__(self, model: _strata.Model) -> None:
        self._model = model
        self._plain = model.takes_numbers
        self._input_names, self._classes = model.input_names, model.classes  # asked for in every prediction
        self._fills = model.inspect()["missing"] != "refuse"

    @classmethod
    def from_bytes(cls, content: bytes) -> Model:
        return cls(_strata.Model.from_bytes(content))

    def to_bytes(self) -> bytes:
        """What save would write."""
        return self._model.to_bytes()

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the file that `strata predict` reads; all of it or nothing."""
        self._model.save(path)

    def to_onnx(self, path: str | PathLike[str] | None = None) -> bytes:
        """The model as an ONNX graph, also written to `path` where one is given: from raw columns to predictions, in double
        precision. docs/export.md describes its inputs and outputs."""
        if path is not None:
            self._model.write_onnx(path)
        return self._model.to_onnx()

    def to_c(self, path: str | PathLike[str]) -> None:
        """Writes the model as C99 without dependencies: path.h and path.c."""
        self._model.write_c(path)

    def predict(self, X: Any, n_threads: int | None = None) -> Any:
        """Labels of classes, as texts, or predictions in the targets' own units: one for each row, or a row for each row where
        there are several targets or quantiles.

        X: an array with the columns of the training in their order, a data frame, or a Table with columns of these names.
        """
        out = self._predict_few(X)
        if out is None:
            out = self._predict(X, threads(n_threads), self._input_names, self._width_message)
        if self._classes:
            return np.array(self._classes, dtype=object)[np.argmax(out, axis=1)]
        return out[:, 0] if out.shape[1] == 1 else out

    def predict_proba(self, X: Any, n_threads: int | None = None) -> Array:
        """The probability of each class, in the order of classes."""
        if not self._classes:
            raise ValueError("the model predicts numbers; probabilities are those of a classification")
        return self._predict(X, threads(n_threads), self._input_names, self._width_message)

    def predict_interval(self, X: Any, coverage: float = 0.9, allow_empty: bool = False, n_threads: int | None = None) -> Any:
        """As that of the estimators: bounds, rows x 2 or rows x targets x 2, or sets, rows x classes of booleans, that hold the
        truth for the share `coverage` of new rows. allow_empty: of sets."""
        out = self._predict(X, threads(n_threads), self._input_names, self._width_message, "for_intervals")
        found = self._model.interval(out, float(coverage), bool(allow_empty))
        if self._classes:
            return found == 1
        return found if found.shape[1] == 2 else found.reshape(len(found), -1, 2)

    def predict_arrow(self, X: Any, n_threads: int | None = None) -> Columns:
        """Predictions as an Arrow stream, for pyarrow.table, polars.DataFrame or DuckDB: a column for each target or quantile,
        or the label, under the name of the target, and the probability of each class."""
        out = self._predict(X, threads(n_threads), self._input_names, self._width_message)
        columns: dict[str, Any] = {}
        if self._classes:
            columns[self.target_names[0]] = np.array(self._classes, dtype=object)[np.argmax(out, axis=1)]
        for k, name in enumerate(self._model.predicted_names):
            columns[name] = np.ascontiguousarray(out[:, k])
        return Columns(columns)

    def _width_message(self, width: int) -> str:
        return f"X has {width} columns where the model has {len(self._input_names)}"

    def _predict_few(self, X: Any, what: str = "response") -> Array | None:
        """Predictions for a small array of finite numbers, None for anything else: looking at it from all sides would take longer
        than the network does."""
        if (type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and 0 < X.size <= 4096 and X.flags.c_contiguous
                and self._plain and X.shape[1] == len(self._input_names) and np.isfinite(X).all()):
            return self._model.predict_numbers(X, 1, what)
        return None

    def _predict(self, X: Any, count: int, columns: list[str], refusal: Callable[[int], str], what: str = "response") -> Array:
        """columns: names of those of X, where it has none itself; the model may know some of them only."""
        if isinstance(X, _strata.Table):
            return self._model.predict_table(X, count, what)
        X = _frames.held(X)
        names = _rows.feature_names(X)
        # Columns of other names, or in another order, are found by name, unless those of the training were made up.
        in_order = names is None or names == columns or columns == _rows.names_for(None, len(columns))
        plain = (self._plain and in_order and len(columns) == len(self._input_names)
                 and not (self._fills and _rows.has_missing(X)))
        given = _rows.contents(X, "X", not plain)
        width = _rows.shape(given)[1]
        if width != len(columns) and (plain or names is None):
            raise ValueError(refusal(width))
        if plain:
            return self._model.predict_numbers(given, count, what)  # type: ignore[arg-type]
        return self._model.predict_table(_rows.table(given, names or columns), count, what)

    @property
    def networks(self) -> list[_strata.Network]:
        """Copies, one for each member."""
        return self._model.networks

    @property
    def input_names(self) -> list[str]:
        return list(self._input_names)

    @property
    def feature_names(self) -> list[str]:
        """Names of the network's inputs, after encoding."""
        return self._model.feature_names

    @property
    def target_names(self) -> list[str]:
        return self._model.target_names

    @property
    def classes(self) -> list[str]:
        """Labels of a classification, as texts; empty for a regression."""
        return list(self._classes)

    @property
    def training(self) -> dict[str, Any]:
        """How the network was trained: what `strata train --json` prints."""
        record: dict[str, Any] = self._model.training
        return record

    def inspect(self) -> dict[str, Any]:
        """Architecture, inputs with their encodings and scales, targets: what `strata inspect --json` prints."""
        description: dict[str, Any] = self._model.inspect()
        return description

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return repr(self._model)


def load_model(path: str | PathLike[str]) -> Model:
    """Reads a model that save, or the command line, wrote."""
    return Model(_strata.load_model(path))
