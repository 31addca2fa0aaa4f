"""Columns of data frames: pandas by its own interface, all others by the Arrow stream they offer."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from . import _arrow, _strata


def _is_pandas(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns") and hasattr(X, "dtypes")


class Held:
    """The columns of an Arrow stream, which may be read only once."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.names, self.columns = list(columns), list(columns.values())


def held(X: Any) -> Any:
    """X itself, or its columns where they come as an Arrow stream: polars, pyarrow, DuckDB and others."""
    return Held(_arrow.read(X)) if hasattr(X, "__arrow_c_stream__") and not _is_pandas(X) else X


def held_target(y: Any) -> Any:
    """y itself, or, where it is an Arrow stream and no array, its column, or its columns side by side."""
    if not hasattr(y, "__arrow_c_stream__") or hasattr(y, "__array__"):
        return y
    columns = [_labels(column) for column in _arrow.read(y).values()]
    return columns[0] if len(columns) == 1 else np.column_stack(columns)


def _labels(column: Any) -> Any:
    if not isinstance(column, tuple):
        return column
    texts, codes = column
    return np.array([*texts, None], dtype=object)[codes]


def is_frame(X: Any) -> bool:
    return _is_pandas(X) or isinstance(X, Held)


def column_names(X: Any) -> list[Any] | None:
    if isinstance(X, Held):
        return X.names
    return list(X.columns) if _is_pandas(X) else None


def columns(X: Any) -> list[Any]:
    """The columns of a frame: numbers with NaN where a value is missing, or texts with None, or (categories, codes)."""
    return X.columns if isinstance(X, Held) else [_from_pandas(X.iloc[:, k]) for k in range(X.shape[1])]


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


def read_parquet(path: Any, columns: list[str] | None = None) -> _strata.Table:
    """A Parquet file, or those columns of it, as a Table. Needs pyarrow."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise ImportError("read_parquet needs pyarrow; install it, or give fit any object with an Arrow stream") from None
    table = _strata.Table(str(path))
    for name, column in _arrow.read(parquet.read_table(path, columns=columns)).items():
        add_column(table, name, column)
    return table
