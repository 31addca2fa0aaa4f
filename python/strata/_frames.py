"""Columns of data frames: pandas by its own interface, polars, Arrow and others by the Arrow stream they offer."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from . import _strata


def _is_pandas(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns") and hasattr(X, "dtypes")


def is_frame(X: Any) -> bool:
    return _is_pandas(X) or hasattr(X, "__arrow_c_stream__")


def _arrow_names(X: Any) -> Any:
    return X.column_names if hasattr(X, "column_names") else X.columns  # pyarrow's name for it; polars'


def column_names(X: Any) -> list[Any] | None:
    if _is_pandas(X):
        return list(X.columns)
    return list(_arrow_names(X)) if is_frame(X) else None


def columns(X: Any) -> list[Any]:
    """The columns of a frame: numbers with NaN where a value is missing, or texts with None, or (categories, codes)."""
    if _is_pandas(X):
        return [_from_pandas(X.iloc[:, k]) for k in range(X.shape[1])]
    return [_from_arrow(X[name]) for name in _arrow_names(X)]


def all_numbers(X: Any) -> bool:
    if _is_pandas(X):
        return all(not hasattr(dtype, "categories") and dtype.kind in "biuf" for dtype in X.dtypes)
    return all(is_numeric(column) for column in columns(X))


def length(column: Any) -> int:
    return len(column[1] if isinstance(column, tuple) else column)


def is_numeric(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind == "f"


def _from_pandas(series: Any) -> Any:
    if hasattr(series.dtype, "categories"):
        return [str(text) for text in series.cat.categories], np.asarray(series.cat.codes, dtype=np.int32)
    if series.dtype.kind in "biuf":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    return _typed(series.to_numpy(dtype=object, na_value=None), series.name)


def _from_arrow(column: Any) -> Any:
    array = column.to_numpy()
    if array.dtype.kind in "biuf":  # missing numbers have become NaN
        return array.astype(np.float64)
    values = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    return _typed(np.array([*values, None], dtype=object)[:-1], getattr(column, "name", "a column"))


def _typed(values: Any, name: Any) -> Any:
    """Objects as numbers where all are numbers, otherwise as texts; dates and times in the form of ISO 8601."""
    present = [value for value in values if not _is_missing(value)]
    if any(isinstance(value, (datetime.date, datetime.time)) for value in present):
        values = np.array([*(value if _is_missing(value) else value.isoformat() for value in values), None], dtype=object)[:-1]
        present = [value for value in values if not _is_missing(value)]
    if all(isinstance(value, (bool, int, float, np.number, np.bool_)) for value in present):
        return np.array([np.nan if _is_missing(value) else float(value) for value in values])
    wrong = next((value for value in present if not isinstance(value, str)), None)
    if wrong is not None:
        raise TypeError(f"argument must be a string or a number: column {name!r} has a {type(wrong).__name__}; convert it "
                        "to numbers or texts")
    return np.array([None if _is_missing(value) else value for value in values], dtype=object)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, (float, np.floating, datetime.date)) and value != value)  # NaN and NaT


def add_column(table: _strata.Table, name: str, column: Any) -> None:
    if isinstance(column, tuple):
        table.add_categories(name, *column)
    elif is_numeric(column):
        table.add_numbers(name, np.ascontiguousarray(column))
    else:
        texts = sorted({text for text in column if text is not None})
        codes = {text: code for code, text in enumerate(texts)}
        table.add_categories(name, texts, np.array([codes.get(text, -1) for text in column], dtype=np.int32))
